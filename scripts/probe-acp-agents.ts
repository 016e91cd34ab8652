import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { KnownEntry } from "../src/agents/acp/known/entry.ts";
import { type Argv, commandOf, findKnown } from "../src/agents/acp/known/find.ts";
import { KNOWN } from "../src/agents/acp/known/known.ts";
import { messageOf } from "../src/core/errors.ts";
import { type Fields, fieldsIn, isFields, jsonIn, listIn, textIn } from "../src/core/json/fields.ts";
import { installAgent } from "../src/install/install.ts";
import { installPackage } from "../src/install/install-package.ts";
import { testAgents } from "../test/support/real-agent.ts";

// Starts each known ACP agent that can be had here, asks it for `initialize` and `session/new` without a login, and prints the rows of docs/acp-agents.md.
// `node scripts/probe-acp-agents.ts gemini pi` asks only these.

const LIMIT_MS = 20_000;
const GRACE_MS = 500;

/** A program's own home: it finds no login, and leaves nothing behind. */
function places(): { home: string; work: string; clear(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-probe-")));
  const [home, work] = [mkdtempSync(join(root, "home-")), mkdtempSync(join(root, "work-"))];
  return { home, work, clear: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

async function commandFor({ name, npm, shares, args, programs }: KnownEntry): Promise<Argv | string> {
  const options = { agents: testAgents(), progress: (line: string) => console.error(line) };
  try {
    if (shares) return [...commandOf(await installAgent(shares, options)), ...args];
    if (npm) return [...commandOf(await installPackage(name, npm, options)), ...args];
  } catch (thrown) {
    return messageOf(thrown).split("\n", 1)[0] ?? "";
  }
  const entry = KNOWN.find((one) => one.name === name);
  const found = entry && findKnown(entry, { dataDirectory: "/nonexistent", env: process.env });
  return found && "argv" in found ? found.argv : `no package, and no ${programs.join(" or ")} here`;
}

interface Answers {
  initialize?: Fields;
  session?: Fields;
  took: number;
  end: string;
}

async function ask(argv: Argv, env: KnownEntry["env"]): Promise<Answers> {
  const { home, work, clear } = places();
  const own = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, XDG_STATE_HOME: home };
  const child = spawn(argv[0], argv.slice(1), {
    cwd: work,
    // A group of its own, so that its end takes along whatever it started.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...own, ...env },
  });
  const begun = performance.now();
  const answers: Answers = { took: 0, end: "" };
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-2_000);
  });
  child.stdin.on("error", () => {});
  const send = (id: number, method: string, params: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const done = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(`it exited with ${code ?? signal}: ${lastLine(stderr)}`));
    createInterface(child.stdout).on("line", (line) => {
      const said = jsonIn(line);
      if (!isFields(said)) return;
      if (said.id === 1) {
        answers.initialize = said;
        answers.took = Math.round(performance.now() - begun);
        send(2, "session/new", { cwd: work, mcpServers: [] });
      }
      if (said.id === 2) {
        answers.session = said;
        resolve("");
      }
    });
  });
  const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  send(1, "initialize", { protocolVersion: 1, clientCapabilities, clientInfo: { name: "parley", version: "0" } });
  const late = delay(LIMIT_MS, undefined, { ref: false });
  const end = await Promise.race([done, late]);
  answers.end = end ?? `no answer within ${LIMIT_MS / 1000} s: ${lastLine(stderr)}`;
  await endGroup(child);
  clear();
  return answers;
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim() ?? "";

async function endGroup(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.pid === undefined) return;
  const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone.
    }
    await Promise.race([gone, delay(GRACE_MS)]);
  }
  await gone;
}

/** One cell of the table: what came back, without line breaks. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").slice(0, 200);

function sessionCell({ session, end }: Answers): string {
  if (!session) return end;
  const error = fieldsIn(session, "error");
  const message = textIn(error, "message");
  return message === undefined ? "a session, without a login" : `${error.code}: ${message}`;
}

function row(entry: KnownEntry, found: Argv | string, answers: Answers | undefined): string {
  const { name, npm, programs, args } = entry;
  const result = fieldsIn(answers?.initialize ?? {}, "result");
  const info = fieldsIn(result, "agentInfo");
  const who = [textIn(info, "name"), textIn(info, "version")].filter(Boolean).join(" ");
  const logins = listIn(result, "authMethods").map((method) => textIn(method, "id") ?? "?");
  const version = typeof result.protocolVersion === "number" ? `v${result.protocolVersion}` : "-";
  const said = answers ? sessionCell(answers) : "";
  return [
    `\`${name}\``,
    `\`${[programs[0], ...args].join(" ")}\``,
    npm ? `\`${npm.package}@${npm.version}\`` : "-",
    answers?.initialize
      ? `${version}, ${who || "no name"}, ${answers.took} ms`
      : `no: ${typeof found === "string" ? found : said}`,
    logins.join(", ") || "-",
    answers?.initialize ? said : "-",
  ]
    .map(cell)
    .join(" | ");
}

const wanted = process.argv.slice(2);
console.log(
  "| name | command | package | `initialize` | ways to log in | `session/new` |\n| --- | --- | --- | --- | --- | --- |",
);
for (const entry of KNOWN.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const found = await commandFor(entry);
  const answers = typeof found === "string" ? undefined : await ask(found, entry.env);
  console.log(`| ${row(entry, found, answers)} |`);
}
