import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type FileName, type SlashCommand, type Terminal } from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { needsPostgres } from "../support/postgres.ts";
import { type TestServer, temporary } from "../support/server.ts";
import { TerminalClient } from "../surfaces/universal/terminal-client.ts";
import { stage } from "./stage.ts";

const options = { ...needsPostgres, timeout: 120_000 };
const READER = { command: "/bin/sh", args: ["-c", "read word; echo got $word; read word"] };

/** Waits until a node knows so many others, itself among them. */
async function meets({ api }: TestServer, count: number): Promise<void> {
  await eventually("the nodes know each other", async () => {
    const { nodes } = await api.expect<{ nodes: { address: string }[] }>(200, "GET", "/v1/nodes");
    return nodes.filter(({ address }) => address !== "").length === count;
  });
}

test("terminals of a place are kept by one of its nodes and used through any", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a"), await node("b")];
  await Promise.all([a, b].map((one) => meets(one, 2)));
  const directory = await temporary(t);
  const { id: session } = await b.api.create({ directory });
  const clients = [a, b].map(({ api }) => createClient({ url: api.url }));
  const [, through] = clients;
  const made = (await through?.terminals.create({ ...READER, session })) as Terminal;
  assert.deepEqual([made.directory, made.place], [directory, "here"]);
  for (const client of clients) {
    assert.deepEqual(
      (await client.terminals.list({ directory })).map(({ id }) => id),
      [made.id],
    );
  }
  for (const { terminals } of clients) {
    const socket = new TerminalClient(terminals.socketUrl(made));
    await socket.until("it is open", () => socket.frames.length > 0);
    if (terminals === through?.terminals) socket.socket.send("one\n");
    if (terminals === through?.terminals) await socket.saw("got one");
    socket.socket.terminate();
  }
  assert.equal(await new TerminalClient(through?.terminals.socketUrl("pty_none") ?? "").closed, 404);
  await through?.terminals.remove(made);
  assert.deepEqual(await clients[0]?.terminals.list(), []);
});

test("a terminal, files and commands of another place are found there", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a", { place: "one" }), await node("b", { place: "two", defaultAgent: "house" })];
  await Promise.all([a, b].map((one) => meets(one, 2)));
  await writeFile(join(b.directory, "only-there.txt"), "");
  const { id: session } = await b.api.create();
  const made = await a.api.expect<Terminal>(201, "POST", "/v1/terminals", { ...READER, session, place: "two" });
  assert.deepEqual([made.directory, made.place], [b.directory, "two"]);
  await a.api.refused("terminal_not_found", "GET", `/v1/terminals/${made.id}`);
  assert.equal((await a.api.expect<Terminal>(200, "GET", `/v1/terminals/${made.id}?place=two`)).id, made.id);
  const client = createClient({ url: a.api.url });
  const socket = new TerminalClient(client.terminals.socketUrl(made));
  await socket.until("it is open", () => socket.frames.length > 0);
  await client.terminals.remove(made);
  await socket.closed;
  const found = await fetch(`${a.api.url}/v1/files?q=only&directory=${encodeURIComponent(b.directory)}`, {
    headers: { "x-parley-place": "two" },
  });
  assert.deepEqual(((await found.json()) as { files: FileName[] }).files, [
    { path: "only-there.txt", directory: false },
  ]);
  const { commands } = await a.api.expect<{ commands: SlashCommand[] }>(200, "GET", `/v1/sessions/${session}/commands`);
  assert.ok(commands.some(({ name }) => name === "review"));
  const directories = await client.directories();
  assert.ok(directories.some(({ path, sessions }) => path === b.directory && sessions === 1));
});
