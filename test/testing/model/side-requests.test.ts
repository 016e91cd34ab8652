import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptedFetch } from "../../../src/testing/model/fetch.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";
import { asksForTitle } from "../../../src/testing/model/side-requests.ts";
import { WIRES } from "./requests.ts";

const HOST = "http://model.invalid";
const TITLE_PROMPTS: readonly [string, string][] = [
  [
    "Claude Code",
    "Generate a concise, sentence-case title (3-7 words) that captures … Return JSON with a single field.",
  ],
  ["OpenCode", "You are a title generator. You output ONLY a thread title."],
];

async function model() {
  return scriptedFetch({ script: { title: "My title", models: ["m1", "m2"], prompts: { a: [{ text: "step" }] } } });
}

test("HEAD, lists of models, one model, token counts; the rest is not there", async () => {
  const { fetch, requests } = await model();
  const get = async (path: string) => JSON.parse(await (await fetch(HOST + path)).text());
  assert.equal((await fetch(HOST, { method: "HEAD" })).status, 200);
  for (const path of ["/v1/models", "/models"]) {
    assert.deepEqual(
      (await get(path)).data.map(({ id }: { id: string }) => id),
      ["m1", "m2"],
    );
  }
  assert.equal((await get("/v1/models/org%2Fm")).id, "org/m");
  const counted = await fetch(`${HOST}/v1/messages/count_tokens`, { method: "POST", body: "x".repeat(400) });
  assert.deepEqual(await counted.json(), { input_tokens: 100 });
  for (const [method, path] of [
    ["GET", "/v1/messages"],
    ["POST", "/v1/embeddings"],
    ["GET", "/v1/responses"],
  ] as const) {
    const response = await fetch(HOST + path, { method });
    assert.equal(response.status, 404, path);
    assert.match(await response.text(), /expected a POST to/);
  }
  assert.ok(requests.every((request) => request.marker === undefined));
});

test("addresses that are none are answered like others", async (t) => {
  const server = await startScriptedModel({ script: { prompts: { a: [{ text: "step" }] } } });
  t.after(() => server.close());
  const status = async (path: string, method = "GET") => (await fetch(`${server.url}${path}`, { method })).status;
  assert.deepEqual(
    await Promise.all([status("//"), status("//", "POST"), status("/v1/models/%E0%A4%A")]),
    [404, 404, 200],
  );
  assert.equal(await status("/v1/models?limit=1#x"), 200);
});

for (const { format, path, body, read } of WIRES) {
  for (const [agent, system] of TITLE_PROMPTS) {
    const more = {
      anthropic: { system: [{ type: "text", text: system }] },
      responses: { instructions: system },
      chat: {},
    }[format];
    const asking = body([{ user: `<session>[[a]] hi</session>` }], more);
    const request =
      format === "chat"
        ? { ...asking, messages: [{ role: "system", content: system }, ...(asking.messages as object[])] }
        : asking;

    test(`${format}: a title as ${agent} asks for it does not start the prompt's scenario`, async () => {
      const { fetch, requests } = await model();
      const said = await (
        await fetch(HOST + path, { method: "POST", body: JSON.stringify({ ...request, stream: false }) })
      ).text();
      assert.ok(said.includes(agent === "OpenCode" ? '"My title"' : '"{\\"title\\":\\"My title\\"}"'), said);
      assert.equal(requests[0]?.marker, undefined);
    });

    test(`${format}: a client with tools means its prompt (${agent})`, () => {
      const tools = [{ name: "t", type: "function", function: { name: "t" } }];
      assert.equal(asksForTitle(read(request)), true);
      assert.equal(asksForTitle(read({ ...request, tools })), false);
    });
  }
}

test("a prompt about titles is a prompt", () => {
  const [wire] = WIRES;
  assert.ok(wire);
  assert.equal(asksForTitle(wire.read(wire.body([{ user: "[[a]] what is the title of README.md?" }]))), false);
});
