import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { alive, identify } from "../host/support.ts";
import { FakeNpm } from "../install/fake-npm.ts";
import { eventually } from "../support/eventually.ts";
import { finished, Home } from "./support.ts";

const INSTALLS = { installs: { "opencode-linux-x64": { prints: "1.18.33" } } };

test("parley install: the program on stdout, what goes on on stderr; then the list knows it", async () => {
  await using home = new Home();
  using npm = new FakeNpm(INSTALLS);
  const env = { PATH: npm.env.PATH ?? "" };
  const before = await home.run(["install"], { env });
  assert.match(before.stdout, /^opencode +1\.18\.33 +- +opencode was not found: .*parley install opencode/m);
  assert.match(before.stdout, /^claude +2\.1\.325 [\s\S]*^codex +0\.166\.0 /m);

  const { code, stdout, stderr } = await home.run(["install", "opencode"], { env });
  const program = join(home.dataDir, "agents/opencode/1.18.33/node_modules/opencode-linux-x64/bin/opencode");
  assert.deepEqual({ code, stdout }, { code: 0, stdout: `${program}\n` });
  assert.match(
    stderr,
    /^parley: installing opencode-ai@1\.18\.33 .*\nparley: checking .*\nparley: opencode 1\.18\.33 is/,
  );

  const again = await home.run(["install", "opencode", "--json"], { env });
  assert.deepEqual(JSON.parse(again.stdout), { name: "opencode", version: "1.18.33", path: program, already: true });
  const after = JSON.parse((await home.run(["install", "--json"], { env })).stdout) as object[];
  assert.deepEqual(after[0], {
    name: "opencode",
    tested: "1.18.33",
    installed: "1.18.33",
    used: { path: program, version: "1.18.33", from: "parley" },
  });
});

test("parley install: one line of what went wrong, and what to do", async () => {
  await using home = new Home();
  using npm = new FakeNpm({ fails: "npm error code ETARGET\n" });
  const env = { PATH: npm.env.PATH ?? "" };
  const absent = await home.run(["install", "opencode", "--version", "9.9.9"], { env });
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /opencode-ai@9\.9\.9 was not installed: .*--version\nparley: {3}code ETARGET\n$/);
  for (const [args, message] of [
    [["install", "emacs"], /those that can: opencode, claude, codex/],
    [["install", "--force"], /expected an agent to install/],
  ] as const) {
    const { code, stderr } = await home.run(args, { env });
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`parley install: ${signal} ends npm, too`, async () => {
    await using home = new Home();
    using npm = new FakeNpm({ ...INSTALLS, slowly: true });
    const child = home.start(["install", "opencode"], { env: { PATH: npm.env.PATH ?? "" } });
    const over = finished(child);
    await eventually("npm is at work", () => npm.pid !== undefined);
    const running = identify(npm.pid ?? 0);
    try {
      child.kill(signal);
      const { code: got, stderr } = await over;
      assert.equal(got, code);
      assert.match(stderr, /opencode-ai@1\.18\.33 was not installed: it was stopped\n$/);
      assert.equal(alive(running), false);
    } finally {
      npm.go();
    }
  });
}
