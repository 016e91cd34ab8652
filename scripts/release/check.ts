import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { programs, type Step, shellLines, stepsOf } from "./readme-lines.ts";
import { faultsOf, type PackedFile, unpublishable } from "./tarball.ts";

// `npm run release:check` packs the package, installs it into an empty directory and runs the README's lines from there.
// `npm run release:check -- PATH` does so with the Node at PATH, such as one of Node 22.
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const node = process.argv[2] ?? process.execPath;
const home = mkdtempSync(join(tmpdir(), "parley-release-"));
const place = join(home, "place");
const LOG = join(home, "server.log");

const say = (line: string): void => console.log(`release: ${line}`);

/** The environment of a stranger: an empty home, no variable of npm or Parley, and the chosen Node first. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|PARLEY_|XDG_|NODE_TEST_)/.test(name));
  const path = [join(place, "node_modules", ".bin"), dirname(node), process.env.PATH].join(delimiter);
  return { ...Object.fromEntries(own), HOME: home, PATH: path };
}

const npm = (args: string[], cwd: string): string =>
  execFileSync("npm", args, { cwd, env: { ...environment(), HOME: process.env.HOME }, encoding: "utf8" });

function pack(): string {
  say("packing");
  // The build writes to stdout, too: the list comes last.
  const output = npm(["pack", "--json", "--pack-destination", home], ROOT);
  const [packed] = JSON.parse(output.slice(output.lastIndexOf("\n[") + 1)) as [
    { filename: string; files: PackedFile[] },
  ];
  const faults = faultsOf(packed.files);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return join(home, packed.filename);
}

function install(tarball: string): void {
  say(`installing ${tarball.slice(home.length + 1)} into an empty directory`);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), "{}\n");
  npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], place);
}

function run({ line, ...step }: Step): void {
  if (step.does === "nothing") return say(`left out: ${line} (${step.because})`);
  if (step.does === "serve") return;
  say(`running: ${line}`);
  const output = execFileSync("sh", ["-euc", step.command], { cwd: place, env: environment(), encoding: "utf8" });
  if (!step.expect.test(output)) throw new Error(`expected ${step.expect} from ${line}, got:\n${output}`);
}

/** The exports that a program gets that imports the package. */
function checkImports(): void {
  say("importing the package, its client and its helpers for tests");
  const names = "startParley:parley-agents createClient:parley-agents/client checkLaws:parley-agents/testing".split(
    " ",
  );
  const program = names.map((pair) => {
    const [name, from] = pair.split(":");
    return `import { ${name} } from "${from}"; if (typeof ${name} !== "function") throw new Error("${pair}");`;
  });
  execFileSync(node, ["--input-type=module", "-e", program.join("\n")], { cwd: place, env: environment() });
}

interface Served {
  url: string;
  stop(): Promise<void>;
}

/** Starts the server of the README. Its own words are shown only when something fails. */
async function serve(command: string): Promise<Served> {
  say(`running: ${command}`);
  const errors = openSync(LOG, "w");
  const server = spawn("sh", ["-euc", `exec ${command}`], {
    cwd: place,
    env: environment(),
    stdio: ["ignore", "pipe", errors],
  });
  const [url] = (await Promise.race([
    once(createInterface({ input: Readable.from(server.stdout ?? []) }), "line"),
    once(server, "exit").then(() => ["nothing"]),
  ])) as [string];
  if (!/^http:\/\/127\.0\.0\.1:\d+$/.test(url)) throw new Error(`expected a URL from ${command}, got ${url}`);
  const { status } = (await (await fetch(`${url}/health`)).json()) as { status: string };
  if (status !== "ok") throw new Error(`expected the status ok of ${url}/health, got ${status}`);
  async function stop(): Promise<void> {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`expected ${command} to end with 0, got ${code}`);
  }
  return { url, stop };
}

/** The console comes from the files of the package: what bundles it is not installed. */
async function checkConsole(url: string): Promise<void> {
  say("loading the console");
  if (existsSync(join(place, "node_modules", "esbuild"))) throw new Error("expected no bundler beside the package");
  const page = await (await fetch(`${url}/`, { headers: { accept: "text/html" } })).text();
  const script = /<script type="module" src="([^"]+)"/.exec(page)?.[1];
  if (script === undefined) throw new Error(`expected the console at ${url}/, got:\n${page}`);
  const { status, headers } = await fetch(`${url}${script}`, { headers: { "accept-encoding": "br" } });
  const coding = headers.get("content-encoding");
  if (status !== 200 || coding !== "br") throw new Error(`expected ${script} in brotli, got ${status} and ${coding}`);
}

/** A package is checked at any time; only `npm publish` demands what the public needs. */
function checkManifest(): void {
  const lacks = unpublishable(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { repository?: unknown });
  if (lacks.length > 0 && process.env.npm_command === "publish") throw new Error(lacks.join("\n"));
  for (const lack of lacks) say(`before it is published: ${lack}`);
}

async function check(): Promise<void> {
  checkManifest();
  install(pack());
  checkImports();
  const readme = readFileSync(join(place, "node_modules", "parley-agents", "README.md"), "utf8");
  const steps = stepsOf(shellLines(readme).map((line) => line.replaceAll("/tmp/try", join(home, "try"))));
  const server = steps.find((step) => step.does === "serve");
  if (!server) throw new Error("expected a line of the README that starts the server, got none");
  const { url, stop } = await serve(server.command);
  try {
    // The usual port may be taken here.
    for (const { name, text } of programs(readme)) {
      writeFileSync(join(place, name), text.replaceAll("http://127.0.0.1:7420", url));
    }
    for (const step of steps) run(step);
    await checkConsole(url);
  } finally {
    await stop();
  }
}

try {
  await check();
  say(`everything in the README runs from the package, with ${execFileSync(node, ["--version"]).toString().trim()}`);
} catch (thrown) {
  if (existsSync(LOG)) console.error(readFileSync(LOG, "utf8"));
  throw thrown;
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
