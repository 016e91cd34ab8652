import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import { type ScriptedModel, startScriptedModel } from "../../../src/testing/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { type Stage, type StageOptions, stage, textOf, updatesOf } from "./stage.ts";

/** The models of a session as older clients are told them. */
interface Models {
  currentModelId: string;
  availableModels: { modelId: string }[];
}

async function open(t: Cleanup, server: TestServer, more: StageOptions = {}) {
  const client = await stage(t, { server, ...more });
  const place = { cwd: server.directory, mcpServers: [] };
  const opened = await client.agent.request<NewSessionResponse & { models?: Models }>("session/new", place);
  const { sessionId } = opened;
  const prompt = (text: string): Promise<PromptResponse> =>
    client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  return { ...client, opened, id: sessionId, prompt };
}

/** The value of an option that a client was told last by an update. */
function toldOf(client: Stage, id: string): unknown {
  const told = updatesOf(client).findLast((one) => one.sessionUpdate === "config_option_update");
  return told?.configOptions.find((one) => one.id === id)?.currentValue;
}

describe("CONFIG-003 an option that is yes or no", () => {
  const fast = { id: "fast", name: "Fast", kind: "boolean", default: false } as const;
  const { argv, models, modes } = sampleAgent();
  const agents = { hasty: { command: argv, models, modes, options: [fast] } };

  for (const [what, capabilities, yes, no] of [
    ["is a boolean for a client that declared these", { session: { configOptions: { boolean: {} } } }, true, false],
    ["is a choice of two for one that did not", {}, "true", "false"],
  ] as const)
    test(`${what}, and reaches the agent`, async (t) => {
      const server = await startServer(t, { agents, defaultAgent: "hasty" });
      const client = await open(t, server, { capabilities });
      const type = typeof yes === "boolean" ? "boolean" : "select";
      const shownIn = ({ configOptions }: Pick<NewSessionResponse, "configOptions">) =>
        configOptions?.find(({ id }) => id === "fast");
      const { type: shown, currentValue } = shownIn(client.opened) ?? {};
      assert.deepEqual([shown, currentValue], [type, no]);
      const set = async (value: string | boolean): Promise<void> => {
        const params = { sessionId: client.id, configId: "fast", ...(type === "boolean" ? { type } : {}), value };
        const answer = await client.agent.request<SetSessionConfigOptionResponse>("session/set_config_option", params);
        assert.deepEqual([shownIn(answer)?.type, shownIn(answer)?.currentValue], [type, value]);
        assert.equal((await server.api.session(client.id)).options?.fast, value === yes);
      };
      await set(yes);
      await client.prompt("[[options]]");
      assert.match(textOf(client.updates), /fast is true/);
      await set(no);
      const types = JSON.stringify(client.messages).match(/"type":"boolean"/g) ?? [];
      assert.equal(types.length > 0, type === "boolean", "no boolean goes to a client that did not declare them");
    });
});

/** The models that were asked, in order. */
const askedOf = ({ requests }: ScriptedModel): unknown[] =>
  requests.filter(({ method }) => method === "POST").map(({ body }) => (body as { model?: string }).model);

test("the older session/set_model puts another model in force: it is stored, told, and asked by the next prompt", async (t) => {
  const model = await startScriptedModel({ script: { prompts: { "*": [{ text: "I see." }] } } });
  t.after(() => model.close());
  const endpoints = { local: { url: model.url, models: [{ id: "one" }, { id: "two" }] } };
  const server = await startServer(t, { defaultAgent: "house", house: { model: "local/one", endpoints } });
  const client = await open(t, server);
  const { currentModelId, availableModels = [] } = client.opened.models ?? {};
  assert.equal(currentModelId, "local/one");
  assert.ok(availableModels.some(({ modelId }) => modelId === "local/two"));
  await client.prompt("first");
  assert.deepEqual(new Set(askedOf(model)), new Set(["one"]));

  const choose = (modelId: string) => client.agent.request("session/set_model", { sessionId: client.id, modelId });
  assert.deepEqual(await choose("local/two"), {});
  assert.equal((await server.api.session(client.id)).model, "local/two");
  await eventually("the model is told", () => toldOf(client, "model") === "local/two");
  const before = askedOf(model).length;
  await client.prompt("second");
  assert.deepEqual(new Set(askedOf(model).slice(before)), new Set(["two"]));

  const isInvalid = (error: unknown) => error instanceof RequestError && error.code === -32_602;
  await assert.rejects(choose("local/none"), isInvalid);
  assert.equal((await server.api.session(client.id)).model, "local/two");
});
