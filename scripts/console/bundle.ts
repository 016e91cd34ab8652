import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Esbuild from "esbuild";
import {
  type Bundle,
  type BundledFile,
  CONSOLE_DOCUMENT,
  HASHED,
  SESSION_DOCUMENT,
  TERMINAL_DOCUMENT,
} from "../../src/server/console/bundle.ts";
import { consoleDocument, ICON_SIZES, type Loads, manifest, terminalDocument } from "./documents.ts";
import { iconPng, iconSvg } from "./icons.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONSOLE = "web/main.tsx";
const TERMINAL = "web/terminal/main.ts";
const APP = "web/app.tsx";
const SESSION = "web/pages/session/session-page.tsx";

/** Files are told by their paths here while nothing is written. */
const OUT = resolve(ROOT, "dist/console");

type Output = Esbuild.Metafile["outputs"][string];
type Follow = (one: Output["imports"][number]) => boolean;

/** The outputs that an output imports, itself first. */
function reached({ outputs }: Esbuild.Metafile, from: string, follow: Follow): string[] {
  const found = new Set([from]);
  for (const path of found) {
    for (const one of outputs[path]?.imports ?? []) if (outputs[one.path] && follow(one)) found.add(one.path);
  }
  return [...found];
}

const address = (output: string): string => `/console/${output.slice("dist/console/".length)}`;

function outputOf({ outputs }: Esbuild.Metafile, entry: string): string {
  const found = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
  if (found === undefined) throw new Error(`expected an output for ${entry}`);
  return found;
}

const isStatic: Follow = ({ kind }) => kind === "import-statement";

/**
 * The files of an entry's first load, with those of a module that it imports later and needs at once. Styles are all loaded
 * at once: a module that is imported later brings none with it.
 */
export function loadsOf(metafile: Esbuild.Metafile, entry: string, later: readonly string[] = []): Loads {
  const { outputs } = metafile;
  const script = outputOf(metafile, entry);
  const all = [script, ...later.map((one) => outputOf(metafile, one))];
  const modules = new Set(all.flatMap((path) => reached(metafile, path, isStatic)));
  modules.delete(script);
  const styles = reached(metafile, script, ({ kind }) => kind !== "url-token").flatMap(
    (path) => outputs[path]?.cssBundle ?? [],
  );
  return {
    script: address(script),
    modules: [...modules].map(address),
    styles: [...new Set(styles)].map(address),
  };
}

/**
 * Has every module that is imported later import the console's frame, too, which is there by then. So all that the first
 * load has becomes one file: parted by who else uses it, it would be a dozen, and each costs the browser some milliseconds.
 */
const oneFirstLoad: Esbuild.Plugin = {
  name: "one-first-load",
  setup({ onResolve, onLoad }) {
    const later = new Set<string>();
    onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
      const target = resolve(resolveDir, path);
      if (kind === "dynamic-import" && target.startsWith(resolve(ROOT, "web"))) later.add(target);
      return undefined;
    });
    onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
      if (!later.has(path)) return undefined;
      const source = await readFile(path, "utf8");
      return { contents: `${source}\nimport ${JSON.stringify(resolve(ROOT, APP))};`, loader: "tsx" };
    });
  },
};

let icons: BundledFile[] | undefined;

function iconFiles(): BundledFile[] {
  icons ??= [
    { name: "icon.svg", bytes: Buffer.from(iconSvg()) },
    ...ICON_SIZES.map((size) => ({ name: `icon-${size}.png`, bytes: iconPng(size) })),
  ];
  return icons;
}

let bundling = 0;

/** Lends esbuild out. Its helper process ends with the last use: it would stay for as long as the server otherwise. */
async function withEsbuild<T>(use: (esbuild: typeof Esbuild) => Promise<T>): Promise<T> {
  // Only a checkout has it, and only a server that shows the console needs it.
  const esbuild = await import("esbuild");
  bundling++;
  try {
    return await use(esbuild);
  } finally {
    if (--bundling === 0) await esbuild.stop();
  }
}

/** Bundles the console, in memory. With `sourcemaps` a browser's tools show the sources, of which a package has none. */
export async function bundleConsole({ sourcemaps }: { sourcemaps: boolean }): Promise<Bundle> {
  const options = {
    absWorkingDir: ROOT,
    entryPoints: { main: CONSOLE, terminal: TERMINAL },
    outdir: OUT,
    entryNames: `${HASHED}[name]-[hash]`,
    chunkNames: `${HASHED}[name]-[hash]`,
    assetNames: `${HASHED}[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    sourcemap: sourcemaps ? "linked" : false,
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [oneFirstLoad],
  } satisfies Esbuild.BuildOptions & { metafile: true; write: false };
  const { outputFiles, metafile } = await withEsbuild(({ build }) => build(options));
  const text = (name: string, content: string): BundledFile => ({ name, bytes: Buffer.from(content) });
  return {
    files: [
      text(CONSOLE_DOCUMENT, consoleDocument(loadsOf(metafile, CONSOLE))),
      text(SESSION_DOCUMENT, consoleDocument(loadsOf(metafile, CONSOLE, [SESSION]))),
      text(TERMINAL_DOCUMENT, terminalDocument(loadsOf(metafile, TERMINAL))),
      text("manifest.webmanifest", manifest()),
      ...iconFiles(),
      ...outputFiles.map(({ path, contents }) => ({ name: path.slice(OUT.length + 1), bytes: contents })),
    ],
    sources: Object.keys(metafile.inputs).map((path) => resolve(ROOT, path)),
  };
}
