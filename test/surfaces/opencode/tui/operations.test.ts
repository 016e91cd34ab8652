import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { TuiControl } from "../../../../src/surfaces/opencode/tui/control.ts";
import { eventually } from "../../../support/eventually.ts";
import { startServer } from "../../../support/server.ts";
import { startRig } from "../pty/rig.ts";

const stays = new AbortController().signal;

test("each remote control of the TUI is an event in its directory", async (t) => {
  const server = await startServer(t);
  const rig = await startRig(t, { gateway: server.parley.gateway });
  const { id } = await server.api.create();
  const command = (name: string) => ({ type: "tui.command.execute", properties: { command: name } });
  const toast = { title: "Hi", message: "there", variant: "info", duration: 5 };
  const rows: [path: string, body: unknown, event: { type: string; properties: unknown }][] = [
    ["append-prompt", { text: "hello" }, { type: "tui.prompt.append", properties: { text: "hello" } }],
    ["open-help", undefined, command("help.show")],
    ["open-sessions", undefined, command("session.list")],
    ["open-themes", undefined, command("theme.switch")],
    ["open-models", {}, command("model.list")],
    ["submit-prompt", undefined, command("prompt.submit")],
    ["clear-prompt", undefined, command("prompt.clear")],
    ["execute-command", { command: "agent_cycle" }, command("agent.cycle")],
    ["execute-command", { command: "session.new" }, command("session.new")],
    ["show-toast", toast, { type: "tui.toast.show", properties: toast }],
    ["publish", { type: "tui.toast.show", properties: toast }, { type: "tui.toast.show", properties: toast }],
    ["publish", command("prompt.clear"), command("prompt.clear")],
    ["select-session", { sessionID: id }, { type: "tui.session.select", properties: { sessionID: id } }],
  ];
  for (const [path, body, event] of rows) {
    const answer = await rig.call("POST", `/tui/${path}?directory=/some/where`, body);
    assert.deepEqual(answer, { status: 200, body: true }, path);
    assert.deepEqual(rig.events.at(-1), { directory: "/some/where", ...event }, path);
  }
  assert.equal(rig.events.length, rows.length);
});

test("a remote control that makes no sense is refused and tells nobody", async (t) => {
  const server = await startServer(t);
  const rig = await startRig(t, { gateway: server.parley.gateway });
  const rows: [path: string, body: unknown, status: number][] = [
    ["append-prompt", {}, 400],
    ["execute-command", { command: 1 }, 400],
    ["show-toast", { message: "x", variant: "loud" }, 400],
    ["show-toast", { message: "x", variant: "info", duration: 0 }, 400],
    ["publish", { type: "server.connected", properties: {} }, 400],
    ["publish", { type: "tui.prompt.append", properties: {} }, 400],
    ["select-session", { sessionID: "abc" }, 400],
    ["select-session", { sessionID: "ses_nobody" }, 404],
  ];
  for (const [path, body, status] of rows) {
    const answer = await rig.call<{ name: string }>("POST", `/tui/${path}`, body);
    assert.equal(answer.status, status, `${path} ${JSON.stringify(answer.body)}`);
    assert.equal(answer.body.name, status === 404 ? "NotFoundError" : "BadRequest");
  }
  assert.deepEqual(rig.events, []);
});

test("a user interface that fetches gets each request of its directory once, in order", async (t) => {
  const rig = await startRig(t);
  const next = (directory: string) => rig.call("GET", `/tui/control/next?directory=${directory}`);
  await rig.call("POST", "/tui/append-prompt?directory=/a", { text: "one" });
  await rig.call("POST", "/tui/append-prompt?directory=/b", { text: "other" });
  await rig.call("POST", "/tui/submit-prompt?directory=/a");
  assert.deepEqual((await next("/a")).body, { path: "/tui/append-prompt", body: { text: "one" } });
  assert.deepEqual((await rig.call("POST", "/tui/control/response", { any: ["thing"] })).body, true);
  assert.deepEqual((await next("/a")).body, { path: "/tui/submit-prompt", body: {} });
  const waiting = next("/a");
  assert.deepEqual((await next("/b")).body, { path: "/tui/append-prompt", body: { text: "other" } });
  await rig.call("POST", "/tui/open-help?directory=/a");
  assert.deepEqual((await waiting).body, { path: "/tui/open-help", body: {} });
});

test("a client that left does not take the request of the next one", async (t) => {
  const rig = await startRig(t);
  const gone = request(`${rig.url}/tui/control/next`).on("error", () => {});
  gone.end();
  await eventually("it waits", () => rig.metrics.render().includes("requests_in_flight 1"));
  gone.destroy();
  await eventually("it has left", () => rig.metrics.render().includes("requests_in_flight 0"));
  await rig.call("POST", "/tui/append-prompt", { text: "for the next" });
  const { body } = await rig.call("GET", "/tui/control/next");
  assert.deepEqual(body, { path: "/tui/append-prompt", body: { text: "for the next" } });
});

test("requests that nobody fetches are bounded in number and in age", async () => {
  let now = 0;
  const control = new TuiControl(() => now);
  for (let i = 0; i < 150; i++) control.push("/a", { path: `/${i}`, body: {} });
  assert.deepEqual(await control.next("/a", stays), { path: "/50", body: {} });
  now += 29_999;
  control.push("/a", { path: "/late", body: {} });
  assert.equal((await control.next("/a", stays))?.path, "/51");
  now += 1;
  assert.equal((await control.next("/a", stays))?.path, "/late");
});

test("a wait ends when its client leaves, and is given nothing after that", async () => {
  const control = new TuiControl();
  const left = new AbortController();
  const first = control.next("/a", left.signal);
  left.abort();
  assert.equal(await first, undefined);
  assert.equal(await control.next("/a", left.signal), undefined);
  const second = control.next("/a", stays);
  control.push("/a", { path: "/x", body: 1 });
  assert.deepEqual(await second, { path: "/x", body: 1 });
});
