import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { writeConsole } from "./console/write.ts";
import { bundlePackage } from "./package/bundle.ts";

// The published package is plain JavaScript, because Node does not strip types inside node_modules, in few files, because
// each takes its time at every start.
rmSync("dist", { recursive: true, force: true });
const declared = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (declared.status !== 0) process.exit(declared.status ?? 1);
await bundlePackage("dist");
await writeConsole("dist/console");
