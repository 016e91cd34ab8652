import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { greetingLines } from "../../src/cli/serve/greeting.ts";
import { FakeNpm } from "../install/fake-npm.ts";
import { startInTerminal, type Tui } from "../support/opencode/tui.ts";
import { firstOf } from "../support/time.ts";
import { BIN, Home } from "./support.ts";

/** Stands in for the interface: it says how it was started and whether the server lets it in, and ends when told. */
const INTERFACE = `
const [, url] = process.argv.slice(2);
const password = process.env.OPENCODE_SERVER_PASSWORD;
const headers = { authorization: "Basic " + Buffer.from("opencode:" + password).toString("base64") };
const show = (name, value) => console.log(name + "=" + JSON.stringify(value));
show("args", process.argv.slice(2).map((one) => one.replace(process.cwd(), "HERE").replace(url, "URL")));
show("told", process.argv.join(" ").includes(password));
show("status", (await fetch(url + "/v1/agents", { headers })).status);
show("url", url);
show("ready", true);
process.on("SIGTERM", () => process.exit(9));
process.stdin.setRawMode(true);
process.stdin.on("data", (key) => process.exit(Number(String(key))));
`;

interface Started {
  tui: Tui;
  shown(name: string): Promise<unknown>;
}

function start(home: Home, args: readonly string[], env: Record<string, string> = {}): Started {
  const file = home.write("interface.mjs", INTERFACE);
  const program = home.write("bin/interface", `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`);
  const tui = startInTerminal({
    program: "/bin/sh",
    args: ["-c", `chmod +x '${program}'; exec "$0" "$@"`, process.execPath, BIN, "opencode", ...args],
    directory: home.work,
    env: home.env({ PARLEY_OPENCODE_BIN: program, ...env }),
    cols: 200,
  });
  const shown = async (name: string): Promise<unknown> => {
    const line = (await tui.waitFor(new RegExp(`^${name}=.*$`, "m"))).match(new RegExp(`^${name}=(.*)$`, "m"));
    return JSON.parse(line?.[1] ?? "null");
  };
  return { tui, shown };
}

test("parley opencode: without a server it starts one, lets the interface in by its environment, and passes the exit code on", async () => {
  await using home = new Home();
  const { tui, shown } = start(home, ["-c"]);
  try {
    await shown("ready");
    assert.deepEqual(await shown("args"), ["attach", "URL", "--dir", "HERE", "--continue"]);
    assert.equal(await shown("told"), false);
    assert.equal(await shown("status"), 200);
    tui.type("7");
    assert.equal(await tui.exited, 7);
    assert.doesNotMatch(tui.screen(), /to go on/, "there is no session");
  } finally {
    await tui.close();
  }
  assert.equal((await home.run(["doctor", "--json"])).code, 0);
  assert.equal(readFileSync(join(home.dataDir, "opencode.log"), "utf8"), "");
});

test("parley opencode: a server that runs is used, and stays", async () => {
  await using home = new Home();
  const { line } = await home.serve();
  const { tui, shown } = start(home, ["--session", "ses_1", "--fork"]);
  try {
    await shown("ready");
    assert.equal(await shown("url"), line);
    assert.deepEqual(await shown("args"), ["attach", "URL", "--dir", "HERE", "--session", "ses_1", "--fork"]);
    process.kill(tui.pid, "SIGTERM");
    assert.equal(await tui.exited, 9);
    assert.doesNotMatch(tui.screen(), /to go on/, "nobody knows the copy, which was not used");
  } finally {
    await tui.close();
  }
  assert.equal((await fetch(`${line}/health`)).status, 200);
});

const TOKEN = "a-token-of-my-own-choice";

const TOKENS: [how: string, args: (home: Home) => string[], env: Record<string, string>, config: object][] = [
  ["PARLEY_TOKEN", () => [], { PARLEY_TOKEN: TOKEN }, {}],
  ["the configuration", () => [], {}, { token: TOKEN }],
  ["--token-file", (home) => ["--token-file", home.write("my-token", `${TOKEN}\n`)], {}, {}],
  ["--token", () => ["--token", TOKEN], {}, {}],
];

for (const [how, args, env, config] of firstOf(TOKENS, 2)) {
  test(`parley opencode: the server that it starts has the token of ${how}`, async () => {
    await using home = new Home();
    home.configure(config);
    const { tui, shown } = start(home, args(home), env);
    try {
      assert.equal(await shown("status"), 200);
      const url = String(await shown("url"));
      const status = async (token: string) =>
        (await fetch(`${url}/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).status;
      assert.deepEqual([await status(TOKEN), await status("another-token-of-mine")], [200, 401]);
      assert.equal(existsSync(join(home.dataDir, "token")), false, "a token that was given is not written down");
      tui.type("0");
      assert.equal(await tui.exited, 0);
    } finally {
      await tui.close();
    }
  });
}

test("parley opencode: at the end it says how to go on with the session that was used", async () => {
  await using home = new Home();
  await home.serve();
  const ids: string[] = [];
  for (const prompt of ["one", "two"]) {
    ids.push(JSON.parse((await home.run(["run", "--format", "json", prompt])).stdout).session);
  }
  const [older = "", newer = ""] = ids;
  for (const [args, use, wanted] of [
    [["-c"], undefined, `opencode -s ${newer}`],
    [["-s", older], undefined, `opencode -s ${older}`],
    [[], undefined, undefined],
    [[home.work, "-s", newer], older, `opencode ${home.work} -s ${older}`],
  ] as const) {
    const { tui, shown } = start(home, args);
    try {
      await shown("ready");
      if (use) await home.run(["run", "--session", use, "three"]);
      tui.type("0");
      assert.equal(await tui.exited, 0);
      const line = /to go on with this session: \S+ (.*\S)/.exec(tui.screen())?.[1];
      assert.equal(line, wanted);
    } finally {
      await tui.close();
    }
  }
});

test("parley opencode: a missing interface is offered, and installed when welcome", async () => {
  await using home = new Home();
  using npm = new FakeNpm({ installs: { "opencode-linux-x64": { prints: "1.18.33" } } });
  const env = { PARLEY_OPENCODE_BIN: "", PATH: npm.env.PATH ?? "" };
  const unwelcome = start(home, [], env);
  await unwelcome.tui.waitFor("install opencode-ai@1.18.33 with npm now, for Parley only? [Y/n]");
  unwelcome.tui.type("n\r");
  await unwelcome.tui.waitFor("parley install opencode");
  assert.equal(await unwelcome.tui.exited, 1);
  await unwelcome.tui.close();

  const welcome = start(home, [], env);
  await welcome.tui.waitFor("[Y/n]");
  welcome.tui.type("\r");
  // The program that this npm installs prints its version for any arguments.
  await welcome.tui.waitFor(/^1\.18\.33$/m);
  assert.equal(await welcome.tui.exited, 0);
  await welcome.tui.close();
});

test("parley opencode: what cannot be meant is said", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["opencode"]);
  assert.deepEqual([code, /expected a terminal.*parley run/.test(stderr)], [2, true], stderr);
  for (const [args, env, message] of [
    [["--fork"], {}, "--fork needs --continue or --session"],
    [["/nowhere"], {}, "there is no directory /nowhere"],
    [[], { PARLEY_OPENCODE_BIN: "/nowhere" }, "PARLEY_OPENCODE_BIN names /nowhere, which is no program"],
  ] as const) {
    const { tui } = start(home, args, env);
    await tui.waitFor(message);
    assert.ok((await tui.exited) > 0);
    await tui.close();
  }
});

test("parley serve shows the line that attaches OpenCode, with the token where others cannot read it", () => {
  const about = { url: "http://127.0.0.1:7420", dataDirectory: "/data", roots: [] };
  const line = (more: { token: string | null; tokenFile?: string }): string | undefined =>
    greetingLines({ ...about, ...more })
      .find((one) => one.includes("attach"))
      ?.trim();
  assert.equal(line({ token: null }), "attach  opencode attach http://127.0.0.1:7420");
  assert.equal(
    line({ token: "t", tokenFile: "/my data/token" }),
    `attach  OPENCODE_SERVER_PASSWORD="$(cat '/my data/token')" opencode attach http://127.0.0.1:7420`,
  );
  assert.equal(
    line({ token: "t" }),
    'attach  OPENCODE_SERVER_PASSWORD="$PARLEY_TOKEN" opencode attach http://127.0.0.1:7420',
  );
});
