import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { opener } from "../../src/cli/output/browser.ts";
import { greetingLines } from "../../src/cli/serve/greeting.ts";
import { eventually } from "../support/eventually.ts";
import { finished, firstLine, Home } from "./support.ts";

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/console\/#enter=([\w-]{32})$/;

/** Shows the code of a link as the page does, and says what the server answers. */
async function enter(link: string): Promise<number> {
  const [, url = "", code = ""] = LINK.exec(link) ?? [];
  assert.notEqual(code, "", `expected a link, got "${link}"`);
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/console/login`, { method: "POST", headers, body: JSON.stringify({ code }) })).status;
}

/** A browser that writes down what it was asked to open. */
function browser(home: Home): { env: Record<string, string>; opened(): string } {
  const program = home.write("bin/browser", `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${home.root}/opened'\n`);
  chmodSync(program, 0o755);
  const file = join(home.root, "opened");
  return { env: { BROWSER: program }, opened: () => (existsSync(file) ? readFileSync(file, "utf8") : "") };
}

test("parley console: with a server that runs it prints a link, opens it, and ends", async () => {
  await using home = new Home();
  await home.serve();
  const { env, opened } = browser(home);
  const { code, stdout, stderr } = await home.run(["console"], { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /lets one browser in, once, within five minutes/);
  await eventually("the browser is asked to open the link", () => opened() === `1|${stdout.trim()}|`);
  assert.equal(await enter(stdout.trim()), 204);
  assert.equal(await enter(stdout.trim()), 401);
});

test("parley console --print and --no-open open nothing, and --print says nothing else", async () => {
  await using home = new Home();
  await home.serve();
  const { env, opened } = browser(home);
  const printed = await home.run(["console", "--print"], { env });
  assert.deepEqual([printed.code, printed.stderr], [0, ""]);
  assert.match(printed.stdout, /^\S+\n$/);
  assert.equal(await enter(printed.stdout.trim()), 204);
  assert.equal((await home.run(["console", "--no-open"], { env })).code, 0);
  assert.equal(opened(), "");
});

test("parley console: without a server one runs in this terminal until a signal", async () => {
  await using home = new Home();
  const { env } = browser(home);
  const child = home.start(["console"], { env: { ...env, PARLEY_PORT: "0" } });
  const ending = finished(child);
  const link = await firstLine(child);
  assert.equal(await enter(link), 204);
  const second = await home.run(["console", "--print"]);
  assert.equal(new URL(second.stdout.trim()).host, new URL(link).host, "another command finds it");
  child.kill("SIGINT");
  const { code, stderr } = await ending;
  assert.equal(code, 0, "as a server ends");
  assert.match(stderr, /no server ran, so one runs here now: Ctrl-C ends it/);
});

test("parley console: the token of the environment counts for the server that it starts", async () => {
  await using home = new Home();
  const token = "a-token-of-my-own-0123456789";
  const child = home.start(["console", "--no-open"], { env: { PARLEY_TOKEN: token, PARLEY_PORT: "0" } });
  const { origin } = new URL(await firstLine(child));
  const answer = await fetch(`${origin}/v1/agents`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
});

test("parley console --print without a server is one clear line and exit 1", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await home.run(["console", "--print"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^parley: no server runs on .*: start one with `.* serve`, or leave out --print\n$/);
});

test("parley console --url uses the token that is given for it, and never the data directory's", async () => {
  await using home = new Home();
  const { line } = await home.serve();
  const file = join(home.dataDir, "token");
  const refused = await home.run(["console", "--print", "--url", line]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /does not accept a request without a token: give its token as PARLEY_TOKEN or --token-file/,
  );
  const wrong = await home.run(["console", "--print", "--url", line], {
    env: { PARLEY_TOKEN: "wrong-token-0123456789" },
  });
  assert.match(wrong.stderr, /does not accept the token that was given/);
  const given = await home.run(["console", "--print", "--url", line, "--token-file", file]);
  assert.equal(await enter(given.stdout.trim()), 204);
  for (const url of ["walnut", "ftp://a", `${line}/?x=1`]) {
    const odd = await home.run(["console", "--print", "--url", url]);
    assert.equal(odd.code, 2, url);
    assert.match(odd.stderr, /^parley: --url: expected /);
  }
});

test("where there is no screen, the link is for a browser elsewhere", {
  skip: process.platform === "darwin" && "a Mac always has a screen",
}, async () => {
  await using home = new Home();
  await home.serve();
  const { code, stdout, stderr } = await home.run(["console"]);
  assert.equal(code, 0);
  assert.match(stdout.trim(), LINK);
  assert.match(stderr, /there is no screen here/);
});

describe("the program that opens a browser", () => {
  for (const [name, platform, env, expected] of [
    ["BROWSER counts first, as a program and not as a line for a shell", "darwin", { BROWSER: "a b" }, ["a b"]],
    ["a Mac has one", "darwin", {}, ["open"]],
    ["a screen", "linux", { DISPLAY: ":0" }, ["xdg-open"]],
    ["a newer screen", "linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
    ["no screen", "linux", {}, undefined],
  ] as const)
    test(name, () => assert.deepEqual(opener(platform, env), expected));
});

test("the lines of a server say where the console is, for this machine and for a phone", () => {
  const greeting = { url: "http://127.0.0.1:7420", dataDirectory: "/d", roots: [] };
  const others = ["http://192.168.1.5:7420"];
  const lines = greetingLines({ ...greeting, others, token: "t" }).join("\n");
  assert.match(
    lines,
    /^ {2}console http:\/\/127\.0\.0\.1:7420\/console\/; `.*console` opens it and lets the browser in$/m,
  );
  assert.match(
    lines,
    /^ {2}phone {3}http:\/\/192\.168\.1\.5:7420\/console\/; `.*console` prints a link that lets it in$/m,
  );
  assert.match(
    greetingLines({ ...greeting, token: null }).join("\n"),
    /^ {2}console http:\/\/127\.0\.0\.1:7420\/console\/$/m,
  );
});

test("the lines of a server whose data directory was given by a flag name it for the other commands, too", () => {
  const greeting = { url: "http://127.0.0.1:7420", dataDirectory: "/my d", dataFlag: "/my d", roots: [], token: "t" };
  const lines = greetingLines(greeting).join("\n");
  for (const command of ["console", "run", "opencode"])
    assert.match(lines, new RegExp(` ${command} --data-dir '/my d'`));
});
