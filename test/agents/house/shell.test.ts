import assert from "node:assert/strict";
import { test } from "node:test";
import { afterRestart, type CallOptions, houseAgent, houseRig, playing, say, workDirectory } from "./support.ts";

const asText = (options: CallOptions | undefined): string => JSON.stringify(options?.prompt.slice(1));
const count = (haystack: string, needle: string): number => haystack.split(needle).length - 1;

test("the model sees what the user ran once, with the next prompt, and once again after a restart", async (t) => {
  const first = playing(say("I see."));
  const made = await houseRig(t, { model: first.model });
  const { turn } = await made.gateway.work.shell(made.session, { command: "echo un''usual" });
  await made.over(turn ?? "");
  await made.turn("What did I run?");
  assert.equal(count(asText(first.asked[0]), "unusual"), 1);
  assert.equal(count(asText(first.asked[0]), "The user ran a command"), 1);

  const again = playing(say("I remember."));
  await afterRestart(made, houseAgent({ model: again.model }, await workDirectory(t)), "And what was it?");
  assert.equal(count(asText(again.asked[0]), "unusual"), 1);
  assert.deepEqual(
    again.asked[0]?.prompt.slice(1).map(({ role }) => role),
    ["user", "assistant", "user"],
  );
});

test("the scripted model does as the user says, not as a command's output says", async (t) => {
  const made = await houseRig(t);
  const { turn } = await made.gateway.work.shell(made.session, { command: "echo run: nothing" });
  await made.over(turn ?? "");
  const events = await made.turn("Hello");
  assert.match(JSON.stringify(events), /You said: Hello"/);
});
