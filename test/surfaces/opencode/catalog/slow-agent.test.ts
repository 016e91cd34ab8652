import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, temporary } from "../../../support/server.ts";
import { Listener } from "../listener.ts";

interface Providers {
  connected: string[];
}

/** A server whose Claude Code, when it is asked anything, says nothing until it is let go. */
async function slowRig(t: TestContext, { installed = true, defaultAgent = "house" } = {}) {
  const root = await temporary(t);
  const [program, asked, go] = [join(root, "claude"), join(root, "asked"), join(root, "go")];
  await writeFile(
    `${program}.new`,
    `#!/bin/sh\ntouch ${asked}\nwhile [ ! -e ${go} ] && [ -d ${root} ]; do sleep 0.05; done\nexit 1\n`,
  );
  await chmod(`${program}.new`, 0o755);
  const install = (): Promise<void> => rename(`${program}.new`, program);
  if (installed) await install();
  const before = { ...process.env };
  Object.assign(process.env, { PARLEY_CLAUDE_BIN: program, HOME: root, ANTHROPIC_API_KEY: "" });
  t.after(() => {
    for (const name of ["PARLEY_CLAUDE_BIN", "HOME", "ANTHROPIC_API_KEY"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  const server = await startServer(t, { defaultAgent });
  const client = new OpencodeClient(server.parley.url);
  const connected = async (): Promise<boolean> =>
    (await client.get<Providers>("/provider")).connected.includes("claude");
  return { server, client, connected, install, asked: () => existsSync(asked), release: () => writeFile(go, "") };
}

const RELOADS: ReadonlySet<string> = new Set(["server.instance.disposed", "global.disposed"]);

test("a session of the house agent is made, and answers, before a slow agent has said what it has", async (t) => {
  const { client, server, asked, release, connected } = await slowRig(t);
  const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: {} });
  assert.equal((await server.api.session(id)).agent, "house");
  for (const path of ["/config", "/command", "/api/command", "/session"]) await client.get(path);
  assert.ok(asked(), "it is asked meanwhile");
  assert.equal(await connected(), false, "it has not answered yet");
  await release();
  await eventually("it is listed", connected);
});

test("a session that names no agent is one of the default agent, also while that has not answered yet", async (t) => {
  const { client, server, connected } = await slowRig(t, { defaultAgent: "claude" });
  const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: {} });
  assert.equal((await server.api.session(id)).agent, "claude");
  assert.equal((await client.get<{ model: string }>("/config")).model, "claude/default");
  assert.equal(await connected(), false, "it has not answered yet");
});

test("clients of /global/event are told to read the lists anew when a slow agent has answered; those of /event are not", async (t) => {
  const { server, connected, release } = await slowRig(t);
  const everywhere = new Listener(`${server.parley.url}/global/event`);
  const here = new Listener(`${server.parley.url}/event`);
  t.after(() => Promise.all([everywhere.leave(), here.leave()]));
  await Promise.all([everywhere.connect(), here.connect()]);
  assert.equal(await connected(), false);
  await release();
  for (const type of RELOADS) await everywhere.until((event) => event.type === type, type);
  assert.equal(await connected(), true);
  await here.until(({ type }) => type === "catalog.updated", "catalog.updated");
  assert.ok(!here.heard.some(({ type }) => RELOADS.has(type)), "native would end this stream with it");
});

test("an agent that is installed while the server runs is found after a dispose, and clients are told", async (t) => {
  const { client, server, connected, install, release } = await slowRig(t, { installed: false });
  const everywhere = new Listener(`${server.parley.url}/global/event`);
  t.after(() => everywhere.leave());
  await everywhere.connect();
  assert.equal(await connected(), false);
  await release();
  await install();
  await client.expect(200, "POST", "/instance/dispose");
  await everywhere.until(({ type }) => type === "server.instance.disposed", "server.instance.disposed");
  assert.equal(await connected(), true);
});

test("a server that closes ends the program that it asked and that has not answered", async (t) => {
  const { client, server, asked } = await slowRig(t);
  await client.get("/provider");
  assert.ok(asked());
  // It looks for programs that are left.
  await server.stop();
});
