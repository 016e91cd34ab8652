import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { WebSocket } from "ws";
import { createClient } from "../../../src/client/index.ts";
import { allowingClient, remoteStream, WAYS } from "../../support/acp/remote.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/server.ts";
import { TOKEN } from "../helpers.ts";

const HEADERS = { authorization: `Bearer ${TOKEN}` };
const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };
const { agent } = methods;

for (const way of WAYS) {
  test(`/acp: a client of the SDK by ${way} makes a session, prompts and cancels`, async (t) => {
    const { parley, directory } = await startServer(t, { token: TOKEN });
    const { app, text } = allowingClient();
    const connection = app.connect(remoteStream(way, parley.url, HEADERS));
    t.after(async () => connection.close());
    const peer = connection.agent;
    await peer.request(agent.initialize, INITIALIZE);
    const { sessionId } = await peer.request(agent.session.new, { cwd: directory, mcpServers: [] });
    const prompt = (words: string) =>
      peer.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text: words }] });
    assert.equal((await prompt("hello")).stopReason, "end_turn");
    const said = text();
    assert.notEqual(said, "", "every update came before the answer");
    const slow = prompt("[[slow 600000]]");
    await eventually("the agent talks", () => text() !== said);
    await peer.notify(agent.session.cancel, { sessionId });
    assert.equal((await slow).stopReason, "cancelled");
    const universal = createClient({ url: parley.url, token: TOKEN });
    assert.equal((await universal.sessions.get(sessionId)).directory, directory, "it is a session like any other");
  });

  test(`/acp: by ${way}, a shutdown answers the prompt and ends the connection`, async (t) => {
    const { parley, directory, stop } = await startServer(t, { token: TOKEN });
    const { app, text } = allowingClient();
    const connection = app.connect(remoteStream(way, parley.url, HEADERS));
    const peer = connection.agent;
    await peer.request(agent.initialize, INITIALIZE);
    const { sessionId } = await peer.request(agent.session.new, { cwd: directory, mcpServers: [] });
    const prompt = peer.request(agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "[[slow 600000]]" }],
    });
    const settled = prompt.then(
      () => "answered",
      () => "answered",
    );
    await eventually("the agent talks", () => text() !== "");
    await stop();
    assert.equal(await settled, "answered");
    await connection.closed;
  });
}

const post = (url: string, headers: Record<string, string>, body: string = JSON.stringify(request())) =>
  fetch(`${url}/acp`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

function request(): object {
  return { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE };
}

/** The status with which an upgrade is refused; 101 where it is not. */
async function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/acp`, { headers });
  const refused = once(socket, "unexpected-response").then(([, response]) => {
    (response as { resume(): void }).resume();
    return (response as { statusCode: number }).statusCode;
  });
  const opened = once(socket, "open").then(() => 101);
  opened.catch(() => {});
  const status = await Promise.race([refused, opened]);
  socket.on("error", () => {});
  socket.terminate();
  return status;
}

test("/acp: the token, the Origin and the Host are asked for, of requests and upgrades alike", async (t) => {
  const { parley } = await startServer(t, { token: TOKEN });
  const cases: [headers: Record<string, string>, status: number][] = [
    [{}, 401],
    [{ authorization: "Bearer wrong-token-0123456789" }, 401],
    [{ ...HEADERS, origin: "https://evil.example" }, 403],
  ];
  for (const [headers, status] of cases) {
    assert.equal((await post(parley.url, headers)).status, status);
    assert.equal(await upgradeStatus(parley.url, headers), status);
  }
  assert.equal(await upgradeStatus(parley.url, { ...HEADERS, host: "evil.example" }), 421);
  assert.equal(await upgradeStatus(parley.url, HEADERS), 101);
  const begun = await post(parley.url, HEADERS);
  assert.equal(begun.status, 200);
  const connection = begun.headers.get("acp-connection-id") ?? "";
  const stream = await fetch(`${parley.url}/acp`, {
    headers: { accept: "text/event-stream", "acp-connection-id": connection },
  });
  assert.equal(stream.status, 401, "the id of a connection is no token");
});

test("/acp: what is no request of the protocol gets a clear answer", async (t) => {
  const { parley } = await startServer(t, { token: TOKEN });
  const lone = await fetch(`${parley.url}/acp`, { headers: HEADERS });
  assert.equal(lone.status, 400);
  assert.match(((await lone.json()) as { detail: string }).detail, /Agent Client Protocol: POST an initialize request/);
  const unknown = { ...HEADERS, accept: "text/event-stream", "acp-connection-id": "nobody" };
  assert.equal((await fetch(`${parley.url}/acp`, { headers: unknown })).status, 404);
  assert.equal((await fetch(`${parley.url}/acp`, { method: "DELETE", headers: unknown })).status, 404);
  assert.equal((await post(parley.url, HEADERS, "no JSON")).status, 400);
  assert.equal((await post(parley.url, HEADERS, JSON.stringify([request()]))).status, 400);
  assert.equal((await post(parley.url, { ...HEADERS, "content-type": "text/plain" })).status, 415);
  assert.equal((await post(parley.url, HEADERS, " ".repeat(11 * 1024 * 1024))).status, 413);
  assert.equal((await fetch(`${parley.url}/acp/other`, { headers: HEADERS })).status, 404);
});

test("/acp: a message by WebSocket that is too long ends the connection, and garbage is answered", async (t) => {
  const { parley } = await startServer(t, { token: TOKEN });
  const socket = new WebSocket(`${parley.url.replace(/^http/, "ws")}/acp`, { headers: HEADERS });
  await once(socket, "open");
  socket.send("no JSON");
  const [answer] = (await once(socket, "message")) as [Buffer];
  assert.equal(JSON.parse(String(answer)).error.code, -32_700);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  socket.send("x".repeat(11 * 1024 * 1024));
  assert.equal((await closed)[0], 1009);
});

test("/acp: many connections at once, opened and left: some are made, the others are refused, and the server works on", async (t) => {
  const { parley } = await startServer(t, { token: TOKEN });
  const answers = await Promise.all(Array.from({ length: 300 }, () => post(parley.url, HEADERS)));
  const made = answers.flatMap(({ status, headers }) => (status === 200 ? headers.get("acp-connection-id") : []));
  assert.equal(made.length, 64);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([503]));
  assert.match((await refused[0]?.text()) ?? "", /at most 64 connections/);
  const gone = { ...HEADERS, "acp-connection-id": made[0] ?? "" };
  assert.equal((await fetch(`${parley.url}/acp`, { method: "DELETE", headers: gone })).status, 202);
  await eventually("there is room again", async () => (await post(parley.url, HEADERS)).status === 200);
});

/** A client that speaks plain frames. */
async function openSocket(url: string) {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/acp`, { headers: HEADERS });
  const messages: { id?: number | null; result?: { sessionId: string }; error?: { code: number }; method?: string }[] =
    [];
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  socket.on("error", () => {});
  await once(socket, "open");
  const ask = async (id: number, method: string, params: object) => {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    await eventually(`an answer to ${method}`, () => messages.some((message) => message.id === id));
    return messages.find((message) => message.id === id)?.result;
  };
  return { socket, messages, ask };
}

test("/acp: a client by WebSocket that vanishes leaves its turn running", async (t) => {
  const { parley, api, directory } = await startServer(t, { token: TOKEN });
  const { socket, messages, ask } = await openSocket(parley.url);
  await ask(1, "initialize", INITIALIZE);
  const { sessionId = "" } = (await ask(2, "session/new", { cwd: directory, mcpServers: [] })) ?? {};
  const prompt = { sessionId, prompt: [{ type: "text", text: "[[slow 500]]" }] };
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "session/prompt", params: prompt }));
  await eventually("it works", () => JSON.stringify(messages).includes("still"));
  socket.terminate();
  await eventually("its turn is over", async () => (await api.session(sessionId)).lastEnd !== undefined);
  assert.equal((await api.session(sessionId)).lastEnd?.reason, "end_turn");
});

test("/acp: frames that are no message are answered or passed over, and the next one is read", async (t) => {
  const { parley } = await startServer(t, { token: TOKEN });
  const { socket, messages, ask } = await openSocket(parley.url);
  await ask(1, "initialize", INITIALIZE);
  socket.send(JSON.stringify([request()]));
  socket.send(Buffer.from(JSON.stringify(request())), { binary: true });
  for (const odd of ["7", "null", '"text"', "{}", '{"jsonrpc":"2.0","id":{},"method":"session/list"}'])
    socket.send(odd);
  assert.ok(await ask(9, "session/list", {}));
  const refused = messages.filter(({ error }) => error);
  assert.deepEqual(new Set(refused.map(({ error }) => error?.code)), new Set([-32_600]));
});
