import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

// The published package is plain JavaScript: Node does not strip types inside node_modules.
rmSync("dist", { recursive: true, force: true });
const built = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
process.exit(built.status ?? 1);
