import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

// The package has few files: Node needs a third of a millisecond and more for each, and a server has hundreds of modules.
// What is imported late in the source stays late.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Modules that every start of a server runs. */
const CORE = ["src/cli/quick/quick.ts", "src/cli/serve/serve.ts"];
/** Modules that every server runs before it answers its first client. */
const WORK = ["src/server/engine.ts", "src/surfaces/universal/app.ts"];
/** Rooms of a server at work. */
const AT_WORK = /^src\/(?:agents|gateway|host|server|surfaces)\//;
/** They are loaded without any server: for the help, and for shells. */
const WITHOUT_SERVER = ["src/cli/program.ts", "src/cli/completion/values.ts"];

const inSource = (path: string): string => relative(ROOT, path);
const importing = (files: readonly string[]): string =>
  files.map((file) => `import ${JSON.stringify(resolve(ROOT, file))};`).join("\n");

/**
 * Puts modules that are always loaded together into one file. esbuild makes a file of all modules that the same entries
 * reach. Hence each module that is imported late gets an entry of its own that imports those modules, too: they are
 * there by then, and all entries reach them.
 */
const together: Plugin = {
  name: "together",
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^\.{1,2}\// }, async ({ kind, path, importer, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "found") return undefined;
      const found = await find(path, { kind, importer, resolveDir, pluginData: "found" });
      if (found.errors.length > 0 || WITHOUT_SERVER.includes(inSource(found.path))) return found;
      return { path: found.path, namespace: AT_WORK.test(inSource(importer)) ? "late-at-work" : "late" };
    });
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => late(path, CORE));
    onLoad({ filter: /.*/, namespace: "late-at-work" }, ({ path }) => late(path, [...CORE, ...WORK]));
  },
};

function late(path: string, before: readonly string[]) {
  const contents = `${importing(before)}\nexport * from ${JSON.stringify(path)};`;
  return { contents, resolveDir: dirname(path), loader: "ts" as const };
}

/** A module that looks for files beside it finds them where its own file would be, had it stayed one. */
const places: Plugin = {
  name: "places",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      const place = relative(join(ROOT, "src"), path).replace(/\.ts$/, ".js");
      const contents = text.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
      return { contents, loader: "ts" };
    });
  },
};

const COMMON: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22.18",
  packages: "external",
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
};

/** Files below the folder have another distance to their neighbours than `places` counts on. */
function assertFlat({ outputs }: Metafile, folder: string): void {
  const found = Object.keys(outputs)
    .filter((path) => path.endsWith(".js") && dirname(resolve(ROOT, path)) !== folder)
    .find((path) => readFileSync(resolve(ROOT, path), "utf8").includes("import.meta.url"));
  if (found !== undefined) throw new Error(`expected modules that look for files in ${folder} itself, got ${found}`);
}

/** Bundles the package's JavaScript into a folder. */
export async function bundlePackage(folder: string): Promise<void> {
  const outdir = resolve(folder);
  const { metafile } = await build({
    ...COMMON,
    outdir,
    entryPoints: { main: "src/cli/main.ts", index: "src/index.ts", "testing/index": "src/testing/index.ts" },
    splitting: true,
    chunkNames: "[name]-[hash]",
    plugins: [together, places],
  });
  // Programs and libraries of their own.
  const apart = await build({
    ...COMMON,
    outdir,
    entryPoints: { "client/index": "src/client/index.ts", "testing/sample-agent": "src/testing/sample-agent.ts" },
  });
  for (const one of [metafile, apart.metafile]) if (one) assertFlat(one, outdir);
}
