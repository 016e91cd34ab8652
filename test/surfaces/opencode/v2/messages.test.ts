import assert from "node:assert/strict";
import { test } from "node:test";
import type { NextMessage } from "../../../../src/surfaces/opencode/shapes/next.ts";
import { call, playing, say } from "../../../agents/house/support.ts";
import { type TurnRig, textsOf, turnRig } from "../turn-rig.ts";

const at = ({ session }: TurnRig, rest: string): string => `/api/session/${session}${rest}`;
const of = (rest: string, method = "GET"): { operation: string } => ({
  operation: `${method} /api/session/{sessionID}${rest}`,
});

/** Prompts and waits for the end of the turn. */
async function tell(made: TurnRig, text: string, more: object = {}): Promise<void> {
  await made.post(at(made, "/prompt"), { prompt: { text }, ...more });
  await made.client.expect(204, "POST", at(made, "/wait"));
}

async function messages(made: TurnRig): Promise<NextMessage[]> {
  const { data } = await made.client.get<{ data: NextMessage[] }>(at(made, "/message?order=asc"), of("/message"));
  return data;
}

const types = (list: readonly NextMessage[]): string[] => list.map(({ type }) => type);

test("a summary is one message, and the context begins with it", async (t) => {
  const { model } = playing(say("First answer."), say("The story so far."), say("Second answer."));
  const made = await turnRig(t, { model });
  await tell(made, "first");
  await made.client.expect(204, "POST", at(made, "/compact"));
  await made.client.expect(204, "POST", at(made, "/wait"));
  await tell(made, "second");
  const all = await messages(made);
  assert.deepEqual(types(all), ["user", "assistant", "compaction", "user", "assistant"]);
  const [, , summary] = all;
  assert.ok(summary?.type === "compaction");
  assert.deepEqual([summary.reason, summary.summary, summary.recent], ["manual", "The story so far.", ""]);
  const { data: context } = await made.client.get<{ data: NextMessage[] }>(at(made, "/context"), of("/context"));
  assert.deepEqual(context, all.slice(2));
  const { data } = await made.client.get<{ data: { type: string }[] }>(at(made, "/history"), of("/history"));
  const told = data
    .map(({ type }) => type.replace("session.next.", ""))
    .filter((type) => type.startsWith("compaction"));
  assert.deepEqual(told, ["compaction.started", "compaction.ended"]);
});

test("a command that the user ran is one message with its output", async (t) => {
  const made = await turnRig(t, { model: playing(say("Yes.")).model });
  await made.post(`/session/${made.session}/shell`, { agent: "build", command: "echo from-the-shell" });
  await tell(made, "did it run?");
  const [shell, ...rest] = await messages(made);
  assert.ok(shell?.type === "shell");
  assert.deepEqual([shell.command, shell.output.trim()], ["echo from-the-shell", "from-the-shell"]);
  assert.deepEqual(types(rest), ["user", "assistant"]);
});

test("a prompt that does not resume the agent waits for the next one, and is no message until then", async (t) => {
  const made = await turnRig(t, { model: playing(say("Both.")).model });
  await made.post(at(made, "/prompt"), { prompt: { text: "first" }, resume: false });
  assert.deepEqual(await messages(made), []);
  const { data } = await made.client.get<{ data: { type: string }[] }>(at(made, "/history"), of("/history"));
  assert.deepEqual(
    data.map(({ type }) => type),
    ["session.next.prompt.admitted"],
  );
  await tell(made, "second");
  const said = (await messages(made)).map((one) => (one.type === "user" ? one.text : one.type));
  assert.deepEqual(said, ["first", "second", "assistant"]);
});

test("another mode is a message, found by its id, and none where the mode stays", async (t) => {
  const made = await turnRig(t, { model: playing(say("One."), say("Two.")).model });
  await tell(made, "one");
  for (const agent of ["plan", "plan", "build"]) await made.post(at(made, "/agent"), { agent }, 204);
  const switched = (await messages(made)).flatMap((one) => (one.type === "agent-switched" ? [one] : []));
  assert.deepEqual(
    switched.map(({ agent }) => agent),
    ["plan", "build"],
  );
  for (const one of switched) {
    const got = await made.client.get<{ data: NextMessage }>(
      at(made, `/message/${one.id}`),
      of("/message/{messageID}"),
    );
    assert.deepEqual(got.data, one);
  }
});

test("messages are whole on a page that reaches over turns that were taken back, in both halves", async (t) => {
  const replies = [say("The first."), call("glob", { pattern: "*" }, "c1"), call("glob", { pattern: "*" }, "c2")];
  const made = await turnRig(t, { model: playing(...replies, say("Gone."), say("The last.")).model });
  await tell(made, "one");
  await tell(made, "two", { id: "msg_two" });
  await made.post(at(made, "/revert/stage"), { messageID: "msg_two" });
  await tell(made, "three");
  const older = await made.client.get<Parameters<typeof textsOf>[0][]>(`/session/${made.session}/message?limit=3`);
  assert.deepEqual(older.map(textsOf), [["The first."], ["three"], ["The last."]]);
  const { data } = await made.client.get<{ data: NextMessage[] }>(at(made, "/message?limit=3"), of("/message"));
  const texts = data.map((one) =>
    one.type === "assistant" ? one.content.map((part) => "text" in part && part.text) : one.type,
  );
  assert.deepEqual(texts, [["The last."], "user", ["The first."]]);
});
