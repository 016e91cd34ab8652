import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { finished, firstLine, Home } from "./support.ts";

/** A server without any setting: nothing is loaded before its port opens that only its clients need. */
const PLAIN = { env: { PARLEY_AGENT: "" } };
const OPEN = ["--insecure-no-auth"];

async function call<T>(url: string, method = "GET", body?: unknown): Promise<T> {
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${url}: ${answer.status}`);
  return (await answer.json()) as T;
}

test("the first requests of a plain server come at once, and one gateway serves them all", async () => {
  await using home = new Home();
  const { line } = await home.serve(OPEN, PLAIN);
  const made = await Promise.all(
    Array.from({ length: 8 }, () => call<{ id: string }>(`${line}/v1/sessions`, "POST", { agent: "scripted" })),
  );
  const { sessions } = await call<{ sessions: { id: string }[] }>(`${line}/v1/sessions`);
  assert.deepEqual(sessions.map(({ id }) => id).sort(), made.map(({ id }) => id).sort());
});

test("the metrics of a plain server have the gateway's series from the first look on", async () => {
  await using home = new Home();
  const { line } = await home.serve(OPEN, PLAIN);
  const text = await (await fetch(`${line}/metrics`)).text();
  assert.match(text, /^# TYPE parley_turns_started_total counter$/m);
  assert.match(text, /^# TYPE parley_http_requests_total counter$/m);
});

test("a plain server closes the turn of a crash before its port opens", async () => {
  await using home = new Home();
  const first = await home.serve(OPEN, PLAIN);
  const { id } = await call<{ id: string }>(`${first.line}/v1/sessions`, "POST", { agent: "scripted" });
  await call(`${first.line}/v1/sessions/${id}/prompts`, "POST", { text: "[[ask ls]]" });
  const types = async (url: string): Promise<string[]> => {
    const { events } = await call<{ events: { type: string }[] }>(`${url}/v1/sessions/${id}/events`);
    return events.map(({ type }) => type);
  };
  await eventually("a turn is open", async () => (await types(first.line)).includes("turn.started"));
  const gone = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await gone;
  const second = home.start(["serve", "--port", "0", ...OPEN], PLAIN);
  const exit = finished(second);
  const line = await firstLine(second);
  assert.equal((await types(line)).filter((type) => type === "turn.ended").length, 1);
  second.kill("SIGTERM");
  const { stderr } = await exit;
  const told = ["closed turns that an earlier crash had left open", "listening"].map((words) => stderr.indexOf(words));
  assert.ok(told[0] !== undefined && told[1] !== undefined && told[0] >= 0 && told[0] < told[1], stderr);
});

test("a plain server that is stopped while its first request is served ends with 0, and answers or refuses it", async () => {
  await using home = new Home();
  const { child, line } = await home.serve(OPEN, PLAIN);
  const exit = finished(child);
  const answer = fetch(`${line}/v1/agents`).then(
    ({ status }) => status,
    () => 0,
  );
  child.kill("SIGTERM");
  assert.ok([0, 200, 503].includes(await answer), `got ${await answer}`);
  const { code, stderr } = await exit;
  assert.equal(code, 0, stderr);
});
