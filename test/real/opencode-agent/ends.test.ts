import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, until } from "../../agents/opencode/tools.ts";
import { eventually } from "../../support/eventually.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const wrongs = {
  bad: [{ status: 400, message: "a bad request" }, "model_failed", /a bad request/],
  wrong: [{ status: 401, message: "No such key." }, "model_auth", /No such key/],
  gone: [{ status: 404, message: "No such model." }, "model_not_found", /No such model/],
} as const;
const failing = Object.entries(wrongs).map(([name, [fail]]) => [name, [{ fail }]]);

const script = {
  prompts: {
    "*": [{ text: "Heard: {{prompt}}" }],
    slow: [{ text: ["Half an ans", { text: "wer.", hold: "never" }] }],
    steered: [{ text: ["Slow", { text: "ly.", hold: "steered" }] }],
    sleep: [{ text: "I sleep.", tools: [bash(`touch started; ${until("go")}`)] }, { text: "Woken." }],
    broken: [{ fail: { status: 500, times: 1 }, text: "At last." }],
    busy: [{ fail: { status: 429, retryAfter: 1, times: 1 }, text: "At last." }],
    cut: [{ fail: { cut: "text" as const, times: 1 }, text: "A whole answer of several words." }],
    down: [{ fail: { status: 500 } }],
    hang: [{ fail: { hang: "start" as const } }],
    ...Object.fromEntries(failing),
  },
};

describe("ends of turns of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script });
  const begin = async (name: string, facts: object = {}) => {
    const directory = stage().project(name);
    return { id: await stage().session({ directory, ...facts }), directory, api: stage().api };
  };
  const first = (id: string, type: "item.delta" | "turn.status") =>
    stage().nth(type, 1, (event) => event.session === id);
  const runs = (directory: string): Promise<void> =>
    eventually("the command runs", () => existsSync(join(directory, "started")));

  test("a cancel in the middle of a stream; the next turn works on the same server", long, async () => {
    const { id, api } = await begin("stream");
    const running = api.ask(id, "[[slow]]");
    await first(id, "item.delta");
    const before = stage().programs();
    await api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.equal((await api.ask(id, "again")).text, "Heard: again");
    const said = completed(await lawfulEvents(api, id), "message").filter(({ role }) => role === "assistant");
    assert.equal(said[0]?.text, "Half an ans");
    assert.deepEqual(stage().programs(), before);
  });

  test("a cancel in the middle of a command ends the command, too", async () => {
    const { id, api, directory } = await begin("command");
    const running = api.ask(id, "[[sleep]]");
    await runs(directory);
    await api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    const [call] = completed(await lawfulEvents(api, id), "tool_call");
    assert.ok(call && call.status !== "running");
    await eventually("the shell is gone", () => stage().processes().length === stage().programs().length);
    assert.equal((await api.ask(id, "again")).text, "Heard: again");
  });

  test(
    "a cancel of an idle session does nothing; one while the model is silent or tried again ends the turn",
    long,
    async () => {
      const { id, api } = await begin("idle");
      await api.ask(id, "first");
      assert.equal((await api.cancel(id)).cancelled, false);
      const silent = api.ask(id, "[[hang]]");
      await stage().model.until(() => stage().model.requests.some(({ marker }) => marker === "hang"));
      await api.cancel(id);
      assert.equal((await silent).reason, "cancelled");
      const tried = api.ask(id, "[[down]]");
      await first(id, "turn.status");
      await api.cancel(id);
      assert.equal((await tried).reason, "cancelled");
      assert.equal((await api.ask(id, "again")).text, "Heard: again");
      assert.equal(of(await lawfulEvents(api, id), "turn.ended").length, 4);
    },
  );

  test("words for a running turn: while text streams, and while a command runs", async () => {
    const { id, api, directory } = await begin("steer");
    const running = api.ask(id, "[[steered]]");
    await first(id, "item.delta");
    await api.prompt(id, { text: "and this", delivery: "steer" });
    stage().model.release("steered");
    const { text, reason } = await running;
    assert.deepEqual([text, reason], ["Heard: and this", "end_turn"]);
    const working = api.ask(id, "[[sleep]]");
    await runs(directory);
    await api.prompt(id, { text: "and that", delivery: "steer" });
    writeFileSync(join(directory, "go"), "");
    assert.equal((await working).text, "Heard: and that");
    const [call] = completed(await lawfulEvents(api, id), "tool_call");
    assert.equal(call?.status, "completed", "the command was let be");
  });

  test("retries are told, and the turn goes on after them: 500, 429, a cut stream", long, async () => {
    const { id, api } = await begin("retry");
    const statuses = async (): Promise<string[]> =>
      of(await lawfulEvents(api, id), "turn.status").map(({ data }) => data.status);
    assert.equal((await api.ask(id, "[[broken]]")).text, "At last.");
    assert.deepEqual(await statuses(), ["retrying", "running"]);
    assert.equal((await api.ask(id, "[[busy]]")).text, "At last.");
    const outcome = await api.ask(id, "[[cut]]");
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", "A whole answer of several words."]);
    assert.deepEqual(await statuses(), Array(3).fill(["retrying", "running"]).flat());
  });

  test("each error of the model ends its turn once, with its code, and the next turn works", async () => {
    const { id, api } = await begin("wrong");
    for (const [at, [name, [, code, words]]] of Object.entries(wrongs).entries()) {
      const outcome = await api.ask(id, `[[${name}]]`);
      assert.deepEqual([name, outcome.reason, outcome.error?.code], [name, "error", code]);
      assert.match(outcome.error?.message ?? "", words);
      assert.equal(of(await lawfulEvents(api, id), "error").length, at + 1);
    }
    assert.equal((await api.ask(id, "hello")).text, "Heard: hello");
  });

  test("a model that is not there is refused before the turn; another one serves", long, async () => {
    const { id, api } = await begin("model");
    await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: "hello", model: "fake/nope" });
    assert.equal((await api.ask(id, { text: "hello", model: "fake/plain" })).text, "Heard: hello");
    assert.equal(stage().calls().at(-1)?.model, "plain");
    assert.equal(of(await lawfulEvents(api, id), "turn.ended").length, 1);
  });

  test("killed in the middle of a command: one error, the call fails, and the next prompt goes on with a new server", async () => {
    const { id, api, directory } = await begin("kill");
    await api.ask(id, "first");
    const running = api.ask(id, "[[sleep]]");
    await runs(directory);
    // The command may run before its call was told.
    await stage().nth("item.started", 1, ({ session, data }) => session === id && data.item.kind === "tool_call");
    const { nativeId } = await api.session(id);
    assert.equal(stage().killServers().length, 1);
    const outcome = await running;
    assert.deepEqual([outcome.reason, outcome.error?.code], ["error", "agent_exited"]);
    await eventually("the shell is gone", () => stage().processes().length === 0);
    assert.equal((await api.ask(id, "go on")).text, "Heard: go on");
    stage().killServers();
    assert.equal((await api.ask(id, "at once")).text, "Heard: at once", "a prompt in the moment of the death");
    assert.equal((await api.session(id)).nativeId, nativeId);
    const events = await lawfulEvents(api, id);
    assert.deepEqual(
      completed(events, "tool_call").map(({ status }) => status),
      ["failed"],
    );
    assert.equal(of(events, "turn.ended").length, 4);
  });
});
