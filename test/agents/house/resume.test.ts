import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { conversationOf } from "../../../src/agents/house/past/history.ts";
import { TOOLS } from "../../../src/agents/house/tools/all.ts";
import {
  afterRestart,
  type CallOptions,
  call,
  finish,
  houseAgent,
  houseRig,
  type Part,
  playing,
  say,
  workDirectory,
} from "./support.ts";
import { slow, stuck, throwing } from "./test-tools.ts";

/** A conversation without what only the provider needs. */
function plain(options: CallOptions | undefined): unknown[] {
  const kept = JSON.parse(JSON.stringify(options?.prompt.slice(1) ?? [])) as { providerOptions?: unknown }[];
  return kept.map(({ providerOptions: _, ...message }) => message);
}

test("after a restart the conversation goes on as if there had been none", async (t) => {
  const replies = [
    [...say("I look."), ...call("read", { path: "a.txt" }, "r1"), ...call("throwing", {}, "t1")],
    [...say("And wait."), ...call("slow", {}, "s1")],
    say("That is all."),
  ];
  const first = playing(...replies, say("Without a restart."));
  const tools = [slow(1), throwing, ...TOOLS];
  const made = await houseRig(t, { model: first.model, tools });
  await writeFile(join(made.work, "a.txt"), "one\ntwo\n");
  await made.turn("look at a.txt");
  await made.turn("and now?");

  // The requests to the same model, had Parley come back in between.
  const again = playing(say("After a restart."));
  const agent = houseAgent({ model: again.model, tools }, await workDirectory(t));
  await afterRestart(made, agent, "go on");

  const before = plain(first.asked[3]);
  assert.equal(first.asked.length, 4);
  assert.deepEqual(plain(again.asked[0]).slice(0, before.length), before);
  const rest = plain(again.asked[0]).slice(before.length);
  assert.match(JSON.stringify(rest), /Without a restart.*go on/);
});

test("the rest of a cancelled turn is in the conversation, with the call it interrupted", async (t) => {
  const { model, asked } = playing([...say("I begin."), ...call("stuck", {}, "s1")], say("Again."));
  const made = await houseRig(t, { model, tools: [stuck] });
  const turn = await made.start("go");
  await made.until(made.session, (event) => event.type === "item.updated" && event.data.status === "running");
  await made.gateway.cancel(made.session, { queue: "clear" });
  await made.over(turn);
  await made.turn("and now");
  const roles = asked[1]?.prompt.map(({ role }) => role);
  assert.deepEqual(roles, ["system", "user", "assistant", "tool", "user"]);
  const [, ...told] = plain(asked[1]);
  const rebuilt = conversationOf((await made.events(made.session)).filter((event) => event.turn === turn));
  assert.deepEqual(
    rebuilt.map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.match(JSON.stringify(told), /aborted/);
});

test("an answer of very many pieces does not push what was said before out of the conversation", async (t) => {
  function* chatter(): Generator<Part> {
    yield { type: "text-start", id: "0" };
    for (let at = 0; at < 11_000; at++) yield { type: "text-delta", id: "0", delta: "." };
    yield { type: "text-end", id: "0" };
    yield finish();
  }
  const made = await houseRig(t, { model: playing(say("I shall remember."), chatter).model });
  await made.turn("the word is swordfish");
  await made.turn("chatter");
  const { model, asked } = playing(say("Here."));
  await afterRestart(made, houseAgent({ model }, await workDirectory(t)), "which word?");
  assert.match(JSON.stringify(plain(asked[0])), /swordfish.*I shall remember/);
});
