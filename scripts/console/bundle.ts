import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Esbuild from "esbuild";
import {
  type Bundle,
  type BundledFile,
  CONSOLE_DOCUMENT,
  HASHED,
  TERMINAL_DOCUMENT,
} from "../../src/server/console/bundle.ts";
import { consoleDocument, ICON_SIZES, type Loads, manifest, terminalDocument } from "./documents.ts";
import { iconPng, iconSvg } from "./icons.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONSOLE = "web/main.tsx";
const TERMINAL = "web/terminal/main.ts";

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

/** The files of an entry's first load. Styles are all loaded at once: a module that is imported later brings none with it. */
export function loadsOf(metafile: Esbuild.Metafile, entry: string): Loads {
  const { outputs } = metafile;
  const script = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
  if (script === undefined) throw new Error(`expected an output for ${entry}`);
  const modules = reached(metafile, script, ({ kind }) => kind === "import-statement").slice(1);
  const styles = reached(metafile, script, ({ kind }) => kind !== "url-token").flatMap(
    (path) => outputs[path]?.cssBundle ?? [],
  );
  return {
    script: address(script),
    modules: modules.map(address),
    styles: [...new Set(styles)].map(address),
  };
}

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
  } as const;
  const { outputFiles, metafile } = await withEsbuild(({ build }) => build(options));
  const text = (name: string, content: string): BundledFile => ({ name, bytes: Buffer.from(content) });
  return {
    files: [
      text(CONSOLE_DOCUMENT, consoleDocument(loadsOf(metafile, CONSOLE))),
      text(TERMINAL_DOCUMENT, terminalDocument(loadsOf(metafile, TERMINAL))),
      text("manifest.webmanifest", manifest()),
      ...iconFiles(),
      ...outputFiles.map(({ path, contents }) => ({ name: path.slice(OUT.length + 1), bytes: contents })),
    ],
    sources: Object.keys(metafile.inputs).map((path) => resolve(ROOT, path)),
  };
}
