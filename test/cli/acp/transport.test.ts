import assert from "node:assert/strict";
import { test } from "node:test";
import { Home } from "../support.ts";
import { openAcp, startAcp } from "./support.ts";

const initialize = { jsonrpc: "2.0", id: "first", method: "initialize", params: { protocolVersion: 1 } };

test("parley acp: initialize is answered where no server can start, a session is refused with the reason, and the process stays", async () => {
  await using home = new Home();
  const file = home.write("file", "");
  await using peer = startAcp(home, { args: ["--data-dir", `${file}/data`] });
  const { protocolVersion } = await peer.initialize();
  assert.equal(protocolVersion, 1);
  await assert.rejects(peer.newSession(home.work), /file\/data/);
  await assert.rejects(peer.newSession(home.work), /file\/data/);
  assert.match(peer.stderr, /file\/data/, "stderr has it, too");
  assert.equal((await peer.leave()).code, 0);
});

test("parley acp: lines that are no message get a JSON-RPC error without an id, and the next one is read", async () => {
  await using home = new Home();
  await using peer = startAcp(home);
  peer.write("this is no JSON\n");
  peer.write("[]\n");
  peer.write('"a text"\n');
  peer.write(`${JSON.stringify(initialize).slice(0, -1)}\n`);
  peer.write(`\r\n  \n${JSON.stringify(initialize)}\r\n`);
  await peer.answered("first");
  const codes = peer.answersTo(null).map(({ error }) => error?.code);
  assert.deepEqual(codes, [-32_700, -32_600, -32_600, -32_700]);
  assert.equal(peer.answersTo("first")[0]?.error, undefined);
});

test("parley acp: a message may come in pieces, several in one, and the last without a line feed", async () => {
  await using home = new Home();
  await using peer = startAcp(home);
  const text = JSON.stringify({
    ...initialize,
    params: { protocolVersion: 1, clientInfo: { name: "Zoë ✓", version: "1" } },
  });
  const bytes = Buffer.from(text);
  const half = bytes.indexOf("✓") + 1;
  peer.child.stdin?.write(bytes.subarray(0, half));
  await new Promise((resolve) => setImmediate(resolve));
  peer.child.stdin?.write(bytes.subarray(half));
  peer.write(`\n{"jsonrpc":"2.0","id":2,"method":"no/such"}\n{"jsonrpc":"2.0","id":3,"method":"no/such"}`);
  const { code } = await peer.leave();
  assert.equal(code, 0);
  assert.ok(peer.answersTo("first")[0]?.result);
  for (const id of [2, 3]) assert.equal(peer.answersTo(id)[0]?.error?.code, -32_601);
});

test("parley acp: a line over 32 MiB is refused without being kept, and the next one is read", async () => {
  await using home = new Home();
  await using peer = startAcp(home);
  await peer.initialize();
  const piece = "x".repeat(1024 * 1024);
  peer.write('{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"x":"');
  for (let written = 0; written < 33; written++) peer.write(piece);
  peer.write('"}}\n');
  const { error } = await peer.answered(null);
  assert.equal(error?.code, -32_600);
  assert.match(error?.message ?? "", /at most 33554432 bytes/);
  assert.ok(await peer.newSession(home.work));
});

test("parley acp: what other code prints does not reach stdout", async () => {
  await using home = new Home();
  const noise = home.write(
    "noise.mjs",
    `const { Response } = globalThis;
    globalThis.Response = class extends Response {
      constructor(...args) {
        super(...args);
        console.log("noise of a library");
        process.stdout.write("more noise\\n");
      }
    };`,
  );
  const { peer, session } = await openAcp(home, { node: ["--import", noise] });
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  assert.match(peer.stderr, /noise of a library/);
  assert.match(peer.stderr, /more noise/);
});

test("parley acp: version 2 is loaded for a client that asks for it, and for no other", async () => {
  await using home = new Home();
  const watch = home.write(
    "watch.mjs",
    `import { registerHooks } from "node:module";
    registerHooks({
      load(url, context, next) {
        if (url.includes("/acp/v2/") || url.includes("/dist/v2/")) process.stderr.write("loaded " + url + "\\n");
        return next(url, context);
      },
    });`,
  );
  const { peer, session } = await openAcp(home, { node: ["--import", watch] });
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  assert.doesNotMatch(peer.stderr, /loaded/);
  await using other = startAcp(home, { node: ["--import", watch] });
  assert.equal((await other.initialize(2)).protocolVersion, 2);
  await other.until("version 2 is loaded", () => /loaded/.test(other.stderr));
});

test("parley acp: a request before initialize is refused, and initialize is taken after it", async () => {
  await using home = new Home();
  await using peer = startAcp(home);
  const { error } = await peer.answered(peer.send("session/list", {}));
  assert.equal(error?.code, -32_600);
  await peer.initialize();
  assert.ok(await peer.newSession(home.work));
});

test("parley acp: an unknown agent is an error of session/new, told on stderr, too", async () => {
  await using home = new Home();
  await using peer = startAcp(home, { args: ["--agent", "nobody"] });
  await peer.initialize();
  await assert.rejects(peer.newSession(home.work), /nobody/);
  await peer.until("stderr tells it", () => peer.stderr.includes("nobody"));
  assert.equal((await peer.leave()).code, 0);
});

test("parley acp: --agent chooses the agent of new sessions", async () => {
  await using home = new Home();
  home.configure({ defaultAgent: "house" });
  const { peer, session } = await openAcp(home, { args: ["--agent", "scripted"] });
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  const listed = JSON.parse((await home.run(["sessions", "--json"])).stdout) as { id: string; agent: string }[];
  assert.deepEqual(
    listed.map(({ id, agent }) => ({ id, agent })),
    [{ id: session, agent: "scripted" }],
  );
});
