import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { APICallError } from "ai";
import type { Place, Step, Trouble } from "../../../src/testing/model/script.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";
import { WIRES } from "./requests.ts";
import { ask, SDKS, scenario } from "./sdk.ts";

const FULL: Step = {
  reasoning: "I think so.",
  text: "one two three four",
  tools: [{ name: "read" }, { name: "bash", input: { command: "x".repeat(100) } }],
};

/** The part of a reply that a client has seen when it stops: text, tools that began, whole calls. */
const SEEN: Readonly<Record<Place, readonly [string, number, number]>> = {
  start: ["", 0, 0],
  open: ["", 0, 0],
  reasoning: ["", 0, 0],
  text: ["one two ", 0, 0],
  tool: ["one two three four", 2, 1],
  end: ["one two three four", 2, 2],
};

for (const { format, model: modelAt } of SDKS) {
  for (const status of [400, 401, 429, 500, 529]) {
    test(`${format}: HTTP ${status}`, async () => {
      await using model = await scenario({ fail: { status, message: "scripted", retryAfter: 3 } });
      const [error] = (await ask(modelAt(model.url), "[[a]]")).errors;
      assert.ok(APICallError.isInstance(error), String(error));
      assert.deepEqual([error.statusCode, error.message], [status, "scripted"]);
      assert.equal(error.responseHeaders?.["retry-after"], "3");
      assert.equal(error.isRetryable, status >= 429);
      assert.deepEqual(
        model.requests.map((request) => [request.status, request.outcome]),
        [[status, "done"]],
      );
    });
  }

  test(`${format}: twice 429, then the answer: the SDK retries by itself`, async () => {
    await using model = await scenario({ text: "third", fail: { status: 429, retryAfter: 0, times: 2 } });
    const sdk = modelAt(model.url);
    const seen = await ask(sdk, "[[a]]", { retries: 2 });
    assert.deepEqual([seen.text, seen.errors], ["third", []]);
    const attempts = () => model.requests.map(({ attempt, status }) => [attempt, status]);
    const cycle = [
      [0, 429],
      [1, 429],
      [2, 200],
    ];
    assert.deepEqual(attempts(), cycle);
    await ask(sdk, "[[a]]", { retries: 2 });
    assert.deepEqual(attempts(), [...cycle, ...cycle], "the same conversation held again meets the same trouble");
  });

  for (const [place, [text, begun, calls]] of Object.entries(SEEN)) {
    test(`${format}: the connection breaks at ${place}`, async () => {
      await using model = await scenario({ ...FULL, fail: { cut: place as Place } });
      const seen = await ask(modelAt(model.url), "[[a]]");
      assert.equal(seen.errors.length, 1);
      assert.deepEqual([seen.text, seen.begun.length], [text, begun]);
      // The SDK for chat completions tells calls at the end of the stream only.
      assert.equal(seen.calls.length, format === "chat" ? 0 : calls);
      await model.until(() => model.requests[0]?.outcome === "cut");
    });
  }

  for (const at of ["open", "text", "tool", "end"] as const) {
    test(`${format}: an error in the stream at ${at}`, async () => {
      await using model = await scenario({ ...FULL, fail: { error: "overloaded_error", message: "Overloaded", at } });
      const seen = await ask(modelAt(model.url), "[[a]]");
      assert.match(JSON.stringify(seen.errors) + String(seen.errors[0]), /Overloaded/);
      assert.equal(seen.text, SEEN[at][0]);
    });
  }

  test(`${format}: a stream that ends cleanly in the middle of the text`, async () => {
    await using model = await scenario({ ...FULL, fail: { cut: "text", clean: true } });
    const seen = await ask(modelAt(model.url), "[[a]]");
    assert.equal(seen.text, "one two ");
    assert.notEqual(seen.finish, "tool-calls");
  });

  for (const place of ["start", "open", "text", "tool"] as const) {
    test(`${format}: a reply that hangs at ${place} until the client leaves`, { timeout: 20_000 }, async () => {
      await using model = await scenario({ ...FULL, fail: { hang: place } });
      const leave = new AbortController();
      const [text, begun] = SEEN[place];
      const shown = text !== "";
      const leaveWhenSeen = (seen: { text: string; begun: string[] }) => {
        if (shown && seen.text === text && seen.begun.length === begun) leave.abort();
      };
      const asked = ask(modelAt(model.url), "[[a]]", { signal: leave.signal, onPart: leaveWhenSeen });
      if (!shown) {
        await model.until(() => model.requests.length === 1);
        leave.abort();
      }
      assert.equal((await asked).text, text);
      await model.until(() => model.requests[0]?.outcome === "left");
    });
  }
}

for (const { format, path, body } of WIRES) {
  const post = (url: string, headers: Record<string, string> = {}, stream = true) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body([{ user: "[[a]]" }], { stream })) });

  test(`${format}: conversations that clients name are counted apart`, async () => {
    await using model = await scenario({ text: "ok", fail: { status: 500, times: 1 } });
    const statuses: number[] = [];
    for (const session of ["one", "two", "one", "two"]) {
      const response = await post(model.url, { "x-session-id": session });
      await response.text();
      statuses.push(response.status);
    }
    assert.deepEqual(statuses, [500, 500, 200, 200]);
  });

  test(`${format}: trouble without a stream`, async () => {
    const error: Trouble = { error: "overloaded_error", message: "Overloaded" };
    await using model = await scenario({ text: "one two", fail: [error, { cut: "text" }, { cut: "start" }] });
    const refused = await post(model.url, {}, false);
    assert.equal(refused.status, 500);
    assert.match(await refused.text(), /Overloaded/);
    await assert.rejects(async () => (await post(model.url, {}, false)).text());
    await assert.rejects(() => post(model.url, {}, false));
    assert.match(await (await post(model.url, {}, false)).text(), /one two/);
  });

  test(`${format}: a body that is no JSON, and a prompt that the script has not`, async () => {
    await using model = await scenario({ text: "ok" });
    const junk = await fetch(model.url + path, { method: "POST", body: "{" });
    assert.deepEqual([junk.status, /no JSON/.test(await junk.text())], [400, true]);
    const unknown = await fetch(model.url + path, { method: "POST", body: JSON.stringify(body([{ user: "hi" }])) });
    assert.deepEqual([unknown.status, /without a marker; it has a/.test(await unknown.text())], [400, true]);
  });
}

test("a cut before the first byte leaves nothing on the wire", async () => {
  await using model = await scenario({ text: "x", fail: { cut: "start" } });
  const { hostname, port } = new URL(model.url);
  const socket = connect(Number(port), hostname);
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  const body = JSON.stringify({ messages: [{ role: "user", content: "[[a]]" }] });
  socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await once(socket, "close");
  assert.equal(bytes, 0);
});

test("closing the model ends what hangs", { timeout: 20_000 }, async () => {
  const model = await startScriptedModel({ script: { prompts: { a: [{ fail: { hang: "start" } }] } } });
  const asked = fetch(`${model.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ messages: [{ role: "user", content: "[[a]]" }] }),
  });
  await model.until(() => model.requests.length === 1);
  await Promise.all([assert.rejects(asked), model.close()]);
  await model.until(() => model.requests[0]?.outcome === "left");
});
