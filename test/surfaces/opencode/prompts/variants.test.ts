import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { findModels, type WireFormat } from "../../../../src/agents/house/model/models.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { type ScriptedModel, startScriptedModel } from "../../../../src/testing/index.ts";
import { eventually } from "../../../support/eventually.ts";
import { type TurnRig, turnRig } from "../turn-rig.ts";

interface Listed {
  all: { id: string; models: Record<string, { variants: Record<string, object> }> }[];
}
interface Newer {
  data: { id: string; variants: { id: string }[] }[];
}

const SCRIPT = { prompts: { "*": [{ text: "Hello." }], wait: [{ text: ["One ", { text: "two.", hold: "gate" }] }] } };
const parts = [{ type: "text", text: "hi" }];

async function stage(t: TestContext, format: WireFormat = "chat"): Promise<TurnRig & { server: ScriptedModel }> {
  const server = await startScriptedModel({ script: SCRIPT });
  t.after(() => server.close());
  const models = [
    { id: "thinks", reasoning: true },
    { id: "deep", efforts: ["high", "max"] as const },
    { id: "plain" },
  ];
  const endpoints = { local: { url: server.url, format, models } };
  return { ...(await turnRig(t, { models: findModels({}, { endpoints }) })), server };
}

const named = (modelID: string) => ({ providerID: "house", modelID: `local/${modelID}` });

/** How hard the model was told to think in each request, by format. */
function effortsIn({ requests }: ScriptedModel): unknown[] {
  return requests
    .filter(({ method }) => method === "POST")
    .map(({ body }) => {
      const { reasoning_effort, reasoning, thinking } = body as Record<string, { effort?: string; type?: string }>;
      return reasoning_effort ?? reasoning?.effort ?? thinking?.type;
    });
}

test("the variants of a model are its efforts, in both halves of the API", async (t) => {
  const { client } = await stage(t);
  const house = (await client.get<Listed>("/provider")).all.find(({ id }) => id === "house");
  const names = (id: string): string[] => Object.keys(house?.models[`local/${id}`]?.variants ?? {});
  assert.deepEqual(names("thinks"), ["low", "medium", "high"]);
  assert.deepEqual(names("deep"), ["high", "max"]);
  assert.deepEqual(names("plain"), []);
  const newer = (await client.get<Newer>("/api/model")).data.find(({ id }) => id === "local/deep");
  assert.deepEqual(
    newer?.variants.map(({ id }) => id),
    ["high", "max"],
  );
});

const SENT: [WireFormat, unknown][] = [
  ["chat", "high"],
  ["responses", "high"],
  ["messages", "enabled"],
];

for (const [format, sent] of SENT) {
  test(`a prompt's variant is in the model's request (${format}), and the next prompt without one has none`, async (t) => {
    const { post, session, server, info, messages } = await stage(t, format);
    const answer = await post<MessageWithParts>(`/session/${session}/message`, {
      parts,
      model: named("thinks"),
      variant: "high",
    });
    assert.equal((answer.info as { variant?: string }).variant, "high");
    assert.deepEqual((await info()).model, { id: "local/thinks", providerID: "house", variant: "high" });
    await post(`/session/${session}/message`, { parts });
    await post(`/session/${session}/message`, { parts, model: named("thinks") });
    assert.deepEqual(effortsIn(server), [sent, sent, undefined]);
    assert.deepEqual((await info()).model, { id: "local/thinks", providerID: "house" });
    const asked = (await messages()).flatMap(({ info: one }) => (one.role === "user" ? [one.model.variant] : []));
    assert.deepEqual(asked, ["high", "high", undefined]);
  });
}

test("a variant that the model does not have is none", async (t) => {
  const { post, session, server } = await stage(t);
  await post(`/session/${session}/message`, { parts, model: named("thinks"), variant: "high" });
  await post(`/session/${session}/message`, { parts, model: named("thinks"), variant: "huge" });
  await post(`/session/${session}/message`, { parts, model: named("plain"), variant: "high" });
  await post(`/session/${session}/message`, { parts, model: named("deep"), variant: "max" });
  await post(`/session/${session}/message`, { parts, model: named("deep"), variant: "default" });
  assert.deepEqual(effortsIn(server), ["high", undefined, undefined, "max", undefined]);
});

test("queued prompts keep their variants", async (t) => {
  const { post, session, server, messages, gateway } = await stage(t);
  const model = named("thinks");
  const wait = [{ type: "text", text: "[[wait]]" }];
  await post(`/session/${session}/prompt_async`, { parts: wait, model, variant: "low" }, 204);
  await server.until(() => server.held.has("gate"));
  await post(`/session/${session}/prompt_async`, { parts, model, variant: "high" }, 204);
  await post(`/session/${session}/prompt_async`, { parts, model }, 204);
  const last = post(`/session/${session}/message`, { parts, model, variant: "medium" });
  const shown = async (): Promise<unknown[]> =>
    (await messages()).flatMap(({ info }) => (info.role === "user" ? [info.model.variant] : []));
  await eventually("three prompts wait", async () => (await gateway.get(session)).queue.length === 3);
  assert.deepEqual(await shown(), ["low", "high", undefined, "medium"]);
  server.release("gate");
  await last;
  assert.deepEqual(effortsIn(server), ["low", "high", undefined, "medium"]);
  assert.deepEqual(await shown(), ["low", "high", undefined, "medium"]);
});

test("a new session, a switch of the model and a command have variants, too", async (t) => {
  const { client, post, work, server, session } = await stage(t);
  const model = { id: "local/thinks", providerID: "house" };
  const made = await post<Session>(`/session?directory=${work}`, { model: { ...model, variant: "low" } });
  assert.equal(made.model?.variant, "low");
  await post(`/session/${made.id}/message`, { parts });
  await client.expect(204, "POST", `/api/session/${made.id}/model`, { body: { model: { ...model, variant: "high" } } });
  await post(`/session/${made.id}/message`, { parts });
  await client.expect(204, "POST", `/api/session/${made.id}/model`, { body: { model } });
  await post(`/session/${made.id}/message`, { parts });
  const newer = { body: { model: { ...model, variant: "medium" }, location: { directory: work } } };
  const { data } = await client.expect<{ data: Session }>(200, "POST", "/api/session", newer);
  assert.equal(data.model?.variant, "medium");
  const command = { command: "init", arguments: "", model: "house/local/thinks", variant: "high" };
  await post(`/session/${session}/command`, command);
  assert.deepEqual(effortsIn(server), ["low", "high", undefined, "high"]);
});
