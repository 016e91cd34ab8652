#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `parley: needs Node 24 or newer, this is ${process.version}. In a checkout, run its script ./parley, which brings its own Node.`,
  );
  process.exit(1);
}

// Compiled code is kept between runs: it halves the start-up time.
module.enableCompileCache?.();

// A published package has dist/; a checkout runs its TypeScript as it is.
const built = new URL("../dist/cli/main.js", import.meta.url);
const source = new URL("../src/cli/main.ts", import.meta.url);
const { main } = await import(existsSync(fileURLToPath(source)) ? source.href : built.href);
await main(process.argv.slice(2));
