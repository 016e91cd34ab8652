import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { startInTerminal } from "../../support/opencode/tui.ts";
import { BIN, Home } from "../support.ts";

function homeWithKeys(): Home {
  const home = new Home();
  chmodSync(home.write(".codex/auth.json", '{"tokens":{"access_token":"opaque","refresh_token":"r"}}'), 0o600);
  const keys = { openai: { type: "api", key: "it's $HOME" }, groq: { type: "api", key: "it's$HOME" } };
  chmodSync(home.write("data/opencode/auth.json", JSON.stringify(keys)), 0o600);
  return home;
}

test("a pipe gets no secret unless that is said", async () => {
  await using home = homeWithKeys();
  const refused = await home.run(["credentials", "--export"]);
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /stdout is not a terminal.*plain text[\s\S]*--to-pipe/);
  const { code, stdout, stderr } = await home.run(["credentials", "--export", "--to-pipe"]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "export GROQ_API_KEY='it'\\''s$HOME'\n");
  assert.match(
    stderr,
    /^parley: left out: openai \(oauth\) in .*\.codex\/auth\.json: no agent takes it by a variable$/m,
  );
  assert.match(stderr, /^parley: left out: openai \(api key\) in .*opencode\/auth\.json: it holds blanks/m);
  const shown = execFileSync("sh", ["-c", `${stdout}printf %s "$GROQ_API_KEY"`], { encoding: "utf8" });
  assert.equal(shown, "it's$HOME");
  const fish = await home.run(["credentials", "--export", "groq", "--to-pipe", "--format", "fish"]);
  assert.equal(fish.stdout, "set -gx GROQ_API_KEY 'it\\'s$HOME'\n");
});

test("a terminal gets it", async () => {
  await using home = homeWithKeys();
  const args = [BIN, "credentials", "--export", "groq"];
  const terminal = startInTerminal({ program: process.execPath, args, directory: home.work, env: home.env() });
  await terminal.waitFor("export GROQ_API_KEY=");
  assert.equal(await terminal.exited, 0);
});

const wrong: [args: string[], code: number, message: RegExp][] = [
  [["--export", "nosuch", "--to-pipe"], 1, /no credential of nosuch was found; there are: openai, groq/],
  [["--export", "openai", "--to-pipe"], 1, /nothing can be exported/],
  [["--to-pipe"], 2, /--to-pipe belongs to --export/],
  [["--format", "fish"], 2, /--format belongs to --export/],
  [["--export", "--to-pipe", "--format", "csh"], 2, /sh, fish/],
  [["--export", "--json"], 2, /cannot be used with/],
  [["anthropic"], 2, /too many arguments/],
];

for (const [args, code, message] of wrong) {
  test(`credentials ${args.join(" ")} is refused`, async () => {
    await using home = homeWithKeys();
    const { stdout, stderr, code: got } = await home.run(["credentials", ...args]);
    assert.deepEqual([got, stdout], [code, ""]);
    assert.match(stderr, message);
  });
}

test("where nothing is found nothing is exported", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await home.run(["credentials", "--export", "--to-pipe"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /no credential was found: parley credentials says/);
});
