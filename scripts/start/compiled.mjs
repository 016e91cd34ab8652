// The modules that a server's start needs, in one JavaScript file that esbuild makes: for Node, to strip their types takes
// longer than all the rest of a start. The file is kept under a name made of all that it was made of.
import { compile, ESBUILD } from "./compile.mjs";
import { readSources } from "./sources.mjs";

const { createHash } = process.getBuiltinModule("node:crypto");
const { accessSync, constants, mkdirSync, readFileSync, realpathSync, statSync } = process.getBuiltinModule("node:fs");
const { registerHooks } = process.getBuiltinModule("node:module");
const { join } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

const HOME = new URL("../../src/cli/", import.meta.url).href;
const MAIN = `${HOME}main.ts`;
/** `main` imports the others late, but every server needs them at once. */
const ROOTS = [MAIN, `${HOME}quick/quick.ts`, `${HOME}serve/serve.ts`];
const STACKS = `${HOME}stack/name-sources.ts`;
const COMPILER = ["compile.mjs", "compiled.mjs", "sources.mjs"].map((name) => new URL(name, import.meta.url));
const KEPT = new URL("../../node_modules/.cache/parley-compiled", import.meta.url);

function digest(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("hex").slice(0, 32);
}

/** Code with a last line that shows whether it is as it was written. */
const sign = (code) => `${code}// ${digest([code])}\n`;

function isWhole(file) {
  try {
    const text = readFileSync(file, "utf8");
    return text === sign(text.slice(0, text.lastIndexOf("// ")));
  } catch {
    return false;
  }
}

/** A file there is run, so only this user, or the owner of this code, may be able to write one. */
function assertOwn(path) {
  if (process.platform === "win32") return;
  const { uid, mode } = statSync(path);
  const owners = [process.getuid(), statSync(fileURLToPath(import.meta.url)).uid];
  if (!owners.includes(uid) || (mode & 0o022) !== 0) throw new Error(`expected ${path} to be ours alone`);
}

/** The folder of such files, by its real path: what they import is told from there. */
function folder() {
  const path = join(process.env.NODE_COMPILE_CACHE || fileURLToPath(KEPT), "parley-start");
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const real = realpathSync(path);
  assertOwn(real);
  return real;
}

/** The file of the sources as they are now. It is made if it is not there, and undefined where it cannot be. */
function currentFile() {
  const sources = readSources(ROOTS, HOME);
  if (!sources) return undefined;
  const compiler = [...COMPILER, join(ESBUILD, "package.json")].map((file) => readFileSync(file, "utf8"));
  const place = folder();
  const file = join(place, `${digest([...compiler, ...[...sources.texts].flat()])}.mjs`);
  if (isWhole(file)) return file;
  accessSync(place, constants.W_OK);
  compile(sources, MAIN, file, sign);
  return isWhole(file) ? file : undefined;
}

/** A module of the file, for those that import it by its own address. */
function facade(file, url, module) {
  const names = Object.keys(module);
  return [
    `import { modules } from ${JSON.stringify(file)};`,
    ...names.map((name, at) => `const v${at} = modules[${JSON.stringify(url)}].${name};`),
    `export { ${names.map((name, at) => `v${at} as ${name}`).join(", ")} };`,
  ].join("\n");
}

/** The program's `main`, compiled; undefined where it must run as it is. */
export async function compiledMain() {
  let file;
  try {
    file = currentFile();
  } catch {
    // No esbuild, no place to write, a source that is missing: the program runs as it is, and says itself what is wrong.
  }
  if (file === undefined) return undefined;
  const { href } = pathToFileURL(file);
  let modules;
  try {
    ({ modules } = await import(href));
  } catch {
    // The sources say it by their own names.
    return undefined;
  }
  registerHooks({
    load(url, context, next) {
      if (!Object.hasOwn(modules, url)) return next(url, context);
      return { format: "module", shortCircuit: true, source: facade(href, url, modules[url]) };
    },
  });
  modules[STACKS].nameSources(new URL(".", href).href);
  return modules[MAIN].main;
}
