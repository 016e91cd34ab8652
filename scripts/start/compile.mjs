const { randomUUID } = process.getBuiltinModule("node:crypto");
const { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { basename, dirname, join, resolve } = process.getBuiltinModule("node:path");
const { fileURLToPath } = process.getBuiltinModule("node:url");

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The program of this platform alone: esbuild's own script would start another Node first. */
export const ESBUILD = join(ROOT, "node_modules", "@esbuild", `${process.platform}-${process.arch}`);

const PATIENCE_MS = 10_000;
/** Two for each state of the sources: a checkout that goes back to one finds it, and a server finds its map. */
const MOST_FILES = 40;

/** Every module with all that it exports: those that are loaded later ask for them by their addresses. */
function entryOf(urls) {
  const imports = urls.map((url, at) => `import * as m${at} from ${JSON.stringify(fileURLToPath(url))};`);
  const modules = urls.map((url, at) => `${JSON.stringify(url)}: m${at}`);
  return `${imports.join("\n")}\nexport const modules = { ${modules.join(", ")} };`;
}

function runEsbuild({ texts, late }, place, outfile) {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const args = [
    "--bundle",
    "--format=esm",
    "--platform=node",
    "--target=node22.18",
    '--tsconfig-raw={"compilerOptions":{"verbatimModuleSyntax":true}}',
    `--define:import.meta.url=${JSON.stringify(place)}`,
    ...late.map((url) => `--external:${fileURLToPath(url)}`),
    "--sourcemap=external",
    "--log-level=silent",
    `--outfile=${outfile}`,
  ];
  const input = entryOf([...texts.keys()]);
  const { status } = spawnSync(join(ESBUILD, "bin", "esbuild"), args, { cwd: ROOT, input, timeout: PATIENCE_MS });
  return status === 0;
}

/** Whether esbuild read what was read here, and nothing else: a source may have been written meanwhile. */
function isMadeOf({ texts }, map) {
  const { sources, sourcesContent } = JSON.parse(readFileSync(map, "utf8"));
  const read = new Map([...texts].map(([url, text]) => [fileURLToPath(url), text]));
  const textOf = (source) => read.get(resolve(dirname(map), source));
  return sources.every((source, at) => source === "<stdin>" || textOf(source) === sourcesContent[at]);
}

/** The names of such files, and of their maps. */
const NAME = /^[0-9a-f]{32}\.mjs/;

function removeOldest(folder) {
  const files = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name));
  const times = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
  for (const file of files.sort((a, b) => times.get(b) - times.get(a)).slice(MOST_FILES)) rmSync(file, { force: true });
}

/** Puts sources into one file, which is there as a whole or not at all. `place` is the address that its modules have. */
export function compile(sources, place, file, sign) {
  const made = `${file}.${randomUUID()}.mjs`;
  try {
    if (!runEsbuild(sources, place, made) || !isMadeOf(sources, `${made}.map`)) return;
    writeFileSync(made, sign(`${readFileSync(made, "utf8")}//# sourceMappingURL=${basename(file)}.map\n`));
    renameSync(`${made}.map`, `${file}.map`);
    renameSync(made, file);
    removeOldest(dirname(file));
  } finally {
    for (const left of [made, `${made}.map`]) rmSync(left, { force: true });
  }
}
