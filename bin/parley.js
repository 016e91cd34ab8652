#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18) || major === 23) {
  console.error(
    `parley: expected Node 24 or newer, or 22.18 or newer of Node 22, got ${process.version}. In a checkout, run its script ./parley, which brings its own Node.`,
  );
  process.exit(1);
}

// Node 22 calls its SQLite experimental at every start. It is the same as in Node 24, and Parley's tests pass with it.
if (major === 22) {
  const listeners = process.listeners("warning");
  process.removeAllListeners("warning").on("warning", (warning) => {
    if (warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite")) return;
    for (const listener of listeners) listener(warning);
  });
}

// An import of these would read every export, and so load what nobody here needs.
const { existsSync } = process.getBuiltinModule("node:fs");
const { enableCompileCache } = process.getBuiltinModule("node:module");

// Compiled code is kept between runs: it halves the start-up time.
enableCompileCache();

// A published package has dist/; a checkout runs its TypeScript as it is, and what a server's start needs of it compiled.
const built = new URL("../dist/main.js", import.meta.url);
const source = new URL("../src/cli/main.ts", import.meta.url);
const start = new URL("../scripts/start/compiled.mjs", import.meta.url);
async function compiled() {
  const wanted = process.argv[2] === "serve" && !process.env.NODE_DISABLE_COMPILE_CACHE && existsSync(start);
  return wanted ? (await import(start.href)).compiledMain() : undefined;
}
async function loaded() {
  return (await import(existsSync(source) ? source.href : built.href)).main;
}
const main = (await compiled()) ?? (await loaded());
await main(process.argv.slice(2));
