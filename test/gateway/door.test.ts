import assert from "node:assert/strict";
import { test } from "node:test";
import { type Owner, onlyHere } from "../../src/gateway/door.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { SessionWork } from "../../src/gateway/session-work.ts";
import { busy, permission, requested } from "./asking.ts";
import { rig, text } from "./rig.ts";

type Call = (gateway: Gateway, id: string, turn: string, ask: string) => unknown;

/** Commands of the gateway, which only the owner of a session takes. */
const COMMANDS: Record<string, Call> = {
  prompt: (gateway, id) => gateway.prompt(id, text("hello")),
  answer: (gateway, id, _, ask) => gateway.answer(id, ask, { kind: "permission", outcome: "once" }, "test"),
  cancel: (gateway, id) => gateway.cancel(id, { queue: "clear" }),
  withdraw: (gateway, id) => gateway.withdraw(id, "msg_waits"),
  update: (gateway, id) => gateway.update(id, { title: "Other" }),
  remove: (gateway, id) => gateway.remove(id),
};
const WORK_COMMANDS: Record<string, Call> = {
  start: ({ work }, id) => work.start(id),
  shell: ({ work }, id) => work.shell(id, { command: "echo no" }),
  compact: ({ work }, id) => work.compact(id),
  command: ({ work }, id) => work.command(id, { command: "init", arguments: "" }),
  revert: ({ work }, id) => work.revert(id, { messageID: "msg_1" }),
  unrevert: ({ work }, id) => work.unrevert(id),
  commitRevert: ({ work }, id) => work.commitRevert(id),
  fork: ({ work }, id) => work.fork(id),
  // Those of a directory, which this process may not have.
  commandsOf: ({ work }, id) => work.commandsOf(id),
};

/** Reads of the gateway, which any process answers. */
const READS: Record<string, Call> = {
  usage: (gateway) => gateway.usage({}),
  get: (gateway, id) => gateway.get(id),
  head: (gateway, id) => gateway.head(id),
  list: (gateway) => gateway.list({ limit: 10 }),
  asks: (gateway, id) => gateway.asks(id),
  ended: (gateway, id) => gateway.ended(id, "trn_none"),
  agents: (gateway) => gateway.agents(),
  discover: (gateway) => gateway.discover("fake"),
  nativeSessions: (gateway) => gateway.nativeSessions("fake", "/").catch(() => {}),
};
const WORK_READS: Record<string, Call> = {
  capabilities: ({ work }) => work.capabilities("fake"),
  commands: async ({ work, log }, id) => work.commands((await log.head(id))?.state.directory ?? ""),
};

/** Methods that concern no session of another, or are called by these. */
const OTHERS = [
  ...["constructor", "log", "attachments", "roots", "defaultAgent", "create", "importSession", "own", "assertChoice"],
  ...["directory", "keptDirectory"],
  ...["assertOpen", "shutdown", "storageLost", "enterDirectory", "enterKeeper", "enterSession", "place", "door"],
];
const WORK_OTHERS = ["constructor", "known", "move", "within"];

test("each method of the gateway is known as a command or as a read", () => {
  const known = [...Object.keys(COMMANDS), ...Object.keys(READS), ...OTHERS];
  assert.deepEqual(Object.getOwnPropertyNames(Gateway.prototype).sort(), known.sort());
  const work = [...Object.keys(WORK_COMMANDS), ...Object.keys(WORK_READS), ...WORK_OTHERS];
  assert.deepEqual(Object.getOwnPropertyNames(SessionWork.prototype).sort(), work.sort());
});

test("a session of another node takes no command here and changes by none, and can still be read", async (t) => {
  let owner: Owner = { here: true };
  const r = await rig(t, { door: { ...onlyHere, owner: async () => owner } });
  r.fake.capabilities = { fork: true, rewind: true, compact: true };
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "cancelled" });
  const { id, session } = await busy(r);
  await r.gateway.prompt(id, text("later", { id: "msg_waits" }));
  session.say(permission);
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  const turn = (await r.gateway.get(id)).turn?.id ?? "";
  const before = await r.events(id);
  const sessions = await r.gateway.list({ limit: 10 });
  owner = { here: false, node: "b", address: "http://b.example:7420" };
  for (const [name, call] of Object.entries({ ...COMMANDS, ...WORK_COMMANDS })) {
    await assert.rejects(
      async () => call(r.gateway, id, turn, ask?.id ?? ""),
      { code: "wrong_node", status: 503, details: { node: "b", address: "http://b.example:7420" } },
      name,
    );
  }
  for (const call of Object.values({ ...READS, ...WORK_READS })) await call(r.gateway, id, turn, ask?.id ?? "");
  assert.deepEqual(await r.events(id), before);
  assert.deepEqual(await r.gateway.list({ limit: 10 }), sessions);
  assert.deepEqual([session.answers, session.cancels, session.prompts.length], [[], 0, 1]);
  owner = { here: true };
  assert.equal(await r.gateway.cancel(id, { queue: "clear" }), turn);
});
