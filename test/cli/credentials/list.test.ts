import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromNow } from "../../../src/cli/credentials/from-now.ts";
import { startInTerminal } from "../../support/opencode/tui.ts";
import { BIN, Home } from "../support.ts";

interface Listed {
  credentials: { provider: string; kind: string; source: { name: string }; state: string; usedBy: string[] }[];
  problems: { source: { name: string }; code: string }[];
  without: Record<string, string>;
}

function plant(home: Home, path: string, value: unknown, mode = 0o600): string {
  const file = home.write(path, typeof value === "string" ? value : JSON.stringify(value));
  chmodSync(file, mode);
  return file;
}

async function listed(home: Home, env: Record<string, string> = {}): Promise<Listed> {
  const { stdout, stderr, code } = await home.run(["credentials", "--json"], { env });
  assert.deepEqual([code, stderr], [0, ""]);
  return JSON.parse(stdout) as Listed;
}

test("an empty home says what to do for each agent, and is no failure", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await home.run(["credentials"]);
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, /^parley: nothing was found/);
  for (const agent of ["claude", "codex", "opencode", "house"]) {
    assert.match(stderr, new RegExp(`^parley: ${agent} has no credential: .*(?:log ?in|set ANTHROPIC_API_KEY)`, "m"));
  }
  const { credentials, problems, without } = await listed(home);
  assert.deepEqual([credentials, problems, Object.keys(without).length], [[], [], 4]);
});

test("a table shows place, end and use of each", async () => {
  await using home = new Home();
  const day = 86_400_000;
  const now = Date.now();
  plant(home, ".claude/.credentials.json", {
    claudeAiOauth: { accessToken: "a", refreshToken: "r", expiresAt: now - 3 * day - day / 2 },
  });
  plant(home, "data/opencode/auth.json", {
    groq: { type: "api", key: "g" },
    xai: { type: "oauth", access: "x", expires: now - day - day / 2 },
    anthropic: { type: "oauth", access: "y", refresh: "r", expires: now + 2 * day + day / 2 },
  });
  const env = { OPENAI_API_KEY: "k", CLAUDE_API_KEY: "c" };
  const { code, stdout, stderr } = await home.run(["credentials"], { env });
  assert.equal(code, 0);
  const store = "~/data/opencode/auth.json";
  const login = "~/.claude/.credentials.json";
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["PROVIDER", "KIND", "SOURCE", "EXPIRY", "USED BY"],
      ["anthropic", "api key", "CLAUDE_API_KEY", "none", "nobody: no agent looks there"],
      ["openai", "api key", "OPENAI_API_KEY", "none", "opencode, house"],
      ["anthropic", "oauth", login, "expired, renewed by claude", "claude"],
      ["groq", "api key", store, "none", "opencode"],
      ["xai", "oauth", store, "expired 1 day ago", "nobody: expired; log in again with opencode"],
      ["anthropic", "oauth", store, "in 2 days", "opencode"],
    ],
  );
  assert.match(stderr, /^parley: codex has no credential: run codex login/);
  assert.doesNotMatch(stderr, /claude has no|house has no|opencode has no/);
});

test("at a narrow terminal each credential is a block, and no place is cut", async () => {
  await using home = new Home();
  plant(home, "data/opencode/auth.json", { anthropic: { type: "api", key: "k" } });
  const { root, work: directory } = home;
  const env = home.env({ XDG_DATA_HOME: join(root, "data"), ANTHROPIC_API_KEY: "k" });
  const terminal = startInTerminal({ program: process.execPath, args: [BIN, "credentials"], directory, env, cols: 60 });
  await terminal.waitFor(/SOURCE +~\/data\/opencode\/auth\.json/);
  assert.equal(await terminal.exited, 0);
});

test("an earlier place shadows a later one, and programs are told the same", async () => {
  await using home = new Home();
  plant(home, ".claude.json", { primaryApiKey: "k" });
  const env = { ANTHROPIC_API_KEY: "a" };
  assert.match((await home.run(["credentials"], { env })).stdout, /nobody: shadowed by ANTHROPIC_API_KEY$/m);
  const { credentials } = await listed(home, env);
  assert.deepEqual(
    credentials.map(({ state, usedBy }) => [state, usedBy]),
    [
      ["used", ["claude", "opencode", "house"]],
      ["shadowed", []],
    ],
  );
});

test("broken, open and strange files are said by name with the next step, and nothing hangs", async () => {
  await using home = new Home();
  const open = plant(home, ".claude/.credentials.json", { claudeAiOauth: { accessToken: "a" } }, 0o644);
  const broken = plant(home, ".codex/auth.json", '{"OPENAI_API_KEY":');
  mkdirSync(join(home.root, "data/opencode"), { recursive: true });
  const pipe = join(home.root, "data/opencode/auth.json");
  execFileSync("mkfifo", [pipe]);
  mkdirSync(join(home.root, ".claude.json"));
  const { code, stderr } = await home.run(["credentials"]);
  assert.equal(code, 0);
  const lines = stderr.split("\n").filter((line) => line.includes("warning"));
  assert.deepEqual(lines, [
    `parley: warning: ${open}: other users can read it (mode 0644): chmod 600 ${open}`,
    `parley: warning: ${join(home.root, ".claude.json")}: expected a file, got a directory: move it away`,
    `parley: warning: ${broken}: it is not a JSON object: mend it, or remove it and log in again: codex login`,
    `parley: warning: ${pipe}: expected a file, got a pipe: move it away`,
  ]);
  const { stdout } = await home.run(["doctor"]);
  for (const path of [open, broken, pipe]) assert.match(stdout, new RegExp(`^warn +credentials +${path}: `, "m"));
  assert.match(stdout, new RegExp(`-> chmod 600 ${open}$`, "m"));
});

test("links are followed, and a file that is not the user's to read is said", async () => {
  await using home = new Home();
  const elsewhere = plant(home, "kept/key.json", { OPENAI_API_KEY: "k" });
  mkdirSync(join(home.root, ".codex"));
  symlinkSync(elsewhere, join(home.root, ".codex/auth.json"));
  assert.equal((await listed(home)).credentials[0]?.provider, "openai");
  if (process.getuid?.() === 0) return;
  chmodSync(elsewhere, 0);
  assert.equal((await listed(home)).problems[0]?.code, "unreadable");
});

test("an endpoint of the house agent is listed, and found keys are its own where the user says so", async () => {
  await using home = new Home();
  plant(home, ".codex/auth.json", { OPENAI_API_KEY: "k" });
  const endpoints = { local: { url: "http://127.0.0.1:1", keyVariable: "LOCAL_KEY", models: [{ id: "m" }] } };
  home.configure({ house: { endpoints } });
  const uses = async (env: Record<string, string>): Promise<string[]> =>
    (await listed(home, env)).credentials.map(({ provider, usedBy }) => `${provider}: ${usedBy}`);
  assert.deepEqual(await uses({ LOCAL_KEY: "l" }), ["local: house", "openai: codex"]);
  assert.match((await home.run(["credentials"])).stderr, /house has no .*PARLEY_HOUSE_CREDENTIALS=found/);
  assert.deepEqual(await uses({ PARLEY_HOUSE_CREDENTIALS: "found" }), ["openai: codex,house"]);
});

test("without HOME the system's list of users tells where it is", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["credentials", "--json"], { env: { HOME: "", CODEX_HOME: home.work } });
  assert.deepEqual([code, stderr], [0, ""]);
});

test("times are said in one unit", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const rows: [then: number, words: string][] = [
    [0, "just now"],
    [-59_000, "just now"],
    [1, "in less than a minute"],
    [-minute, "1 minute ago"],
    [2 * hour + 5 * minute, "in 2 hours"],
    [-3 * day, "3 days ago"],
    [400 * day, "in 1 year"],
  ];
  for (const [then, words] of rows) assert.equal(fromNow(then + 1e12, 1e12), words);
});
