import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { writeConsole } from "./console/write.ts";

// The published package is plain JavaScript: Node does not strip types inside node_modules.
rmSync("dist", { recursive: true, force: true });
const built = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);
await writeConsole("dist/console");
