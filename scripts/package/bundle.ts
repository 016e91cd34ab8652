import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { withAtHand, withoutFacades, withoutRequire, withParts, withPlace } from "./as-bundled.ts";
import { licensesOf } from "./licenses.ts";

// The package has few files: Node needs a third of a millisecond and more for each, and a server has hundreds of modules.
// Modules that the source imports late stay late.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Modules of every command, or of nearly every one. */
const COMMANDS = [
  "src/cli/context.ts",
  "src/cli/launcher/watch.ts",
  "src/cli/output/key-echo.ts",
  "src/cli/serve/server-token.ts",
  "src/cli/tell.ts",
  "src/cli/version.ts",
  "src/core/search/text.ts",
  "src/core/usage.ts",
  "src/host/data-lock.ts",
];
/** Modules that every start of a server runs. */
const CORE = [...COMMANDS, "src/cli/quick/quick.ts", "src/cli/serve/serve.ts"];
/** Modules that start an agent's program before the server is there, and those of the command that does. */
const AHEAD = [
  ...CORE,
  "src/cli/acp/acp.ts",
  "src/cli/access/use-server.ts",
  "src/cli/access/own-server.ts",
  "src/server/agent-parts.ts",
  "src/agents/opencode/serve/servers.ts",
  "src/agents/opencode/gate/gate.ts",
];
/** Rooms whose modules are loaded with all of those. */
const OF_AHEAD = /^src\/(?:cli\/acp|agents\/opencode)\//;
/** Modules that every server runs before it answers its first client. */
const WORK = [...AHEAD, "src/server/engine.ts", "src/surfaces/universal/app.ts", "src/server/http/inside/fetch.ts"];
/** Rooms of a server at work. */
const AT_WORK = /^src\/(?:agents|gateway|host|server|surfaces)\//;
/** They are loaded without any server: for the help, and for shells. */
const WITHOUT_SERVER = ["src/cli/program.ts", "src/cli/completion/values.ts"];

const inSource = (path: string): string => relative(ROOT, path);
const importing = (files: readonly string[]): string => files.map((file) => `import "./${file}";`).join("\n");

/**
 * Puts modules that are always loaded together into one file. esbuild makes a file of all modules that the same entries
 * reach. Hence each module that is imported late gets an entry of its own that imports those modules, too: they are
 * there by then, and all entries reach them.
 */
const together: Plugin = {
  name: "together",
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^\.\/src\/(?:testing\/)?index\.ts$/ }, ({ path }) => ({ path, namespace: "late" }));
    onResolve({ filter: /^\.{1,2}\// }, async ({ kind, path: given, importer, resolveDir, pluginData }) => {
      const ours = inSource(importer).startsWith("src/");
      if (!ours || kind !== "dynamic-import" || pluginData === "found") return undefined;
      const found = await find(given, { kind, importer, resolveDir, pluginData: "found" });
      if (found.errors.length > 0) return found;
      const path = inSource(found.path);
      if (WITHOUT_SERVER.includes(path)) return { path, namespace: "late-command" };
      if (CORE.includes(path)) return { path, namespace: "late-core" };
      const isAtWork = AT_WORK.test(inSource(importer)) && !AHEAD.includes(path);
      return { path, namespace: isAtWork ? "late-at-work" : "late" };
    });
    onLoad({ filter: /.*/, namespace: "late-command" }, ({ path }) => late(path, COMMANDS));
    onLoad({ filter: /.*/, namespace: "late-core" }, ({ path }) => late(path, CORE));
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => late(path, AHEAD));
    onLoad({ filter: /.*/, namespace: "late-at-work" }, ({ path }) => late(path, WORK));
  },
};

function late(path: string, before: readonly string[]) {
  return { contents: `${importing(before)}\nexport * from "./${path}";`, resolveDir: ROOT, loader: "ts" as const };
}

/**
 * Packages that are bundled with what they need: a server loads them, or an agent's first turn does, and most of them
 * have many times the code that is used. The others stay as they are: CommonJS, native, or with files of their own.
 */
const BUNDLED =
  /^(?:zod|hono|ai|diff|eventsource-parser|@ai-sdk\/[^/]+|@hono\/node-server|@agentclientprotocol\/sdk)(?:\/|$)/;

/** The AI SDK's way to a service of its maker, for models that are given by name alone. The house agent gives them as objects. */
const NO_GATEWAY = `
class None { static isInstance() { return false; } }
export { None as GatewayAuthenticationError, None as GatewayError };
export const gateway = undefined;
export function createGateway() { throw new Error("expected a model as an object, got its name alone"); }
`;

const withoutGateway: Plugin = {
  name: "without-gateway",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@ai-sdk\/gateway$/ }, ({ path }) => ({ path, namespace: "without-gateway" }));
    onLoad({ filter: /.*/, namespace: "without-gateway" }, () => ({ contents: NO_GATEWAY }));
  },
};

const packages: Plugin = {
  name: "packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path, importer }) => {
      if (kind === "entry-point") return undefined;
      const bundled = !isBuiltin(path) && (BUNDLED.test(path) || importer.includes("/node_modules/"));
      return bundled ? undefined : { path, external: true };
    });
  },
};

/** The sources and packages as they are bundled. */
const sources: Plugin = {
  name: "sources",
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|[cm]?js)$/ }, async ({ path }) => {
      const text = withParts(withoutFacades(await readFile(path, "utf8")));
      if (!path.endsWith(".ts")) return { contents: withoutRequire(text), loader: "js" };
      const place = relative(join(ROOT, "src"), path).replace(/\.ts$/, ".js");
      const isAtHand = (late: string): boolean => AHEAD.includes(inSource(join(dirname(path), late)));
      const near = OF_AHEAD.test(inSource(path)) ? withAtHand(text, isAtHand) : text;
      return { contents: withPlace(near, place), loader: "ts" };
    });
  },
};

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22.18",
  minifyWhitespace: true,
  minifySyntax: true,
  // Node shows the line in which an error was thrown.
  lineLimit: 160,
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Files below the folder have another distance to their neighbours than `withPlace` counts on. */
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
    plugins: [together, withoutGateway, packages, sources],
  });
  // Programs and libraries of their own.
  const apart = await build({
    ...COMMON,
    outdir,
    entryPoints: { "client/index": "src/client/index.ts", "testing/sample-agent": "src/testing/sample-agent.ts" },
    packages: "external",
  });
  for (const one of [metafile, apart.metafile]) assertFlat(one, outdir);
  writeFileSync(join(outdir, "LICENSES.txt"), licensesOf(Object.keys(metafile.inputs), ROOT));
}

if (import.meta.main) await bundlePackage(process.argv[2] ?? "dist");
