import { setTimeout as delay } from "node:timers/promises";
import type { ChildRef } from "../../agents/contract.ts";
import { ASK_OPTIONS } from "./ask-behaviours.ts";
import type { Behaviour, Turn } from "./turn.ts";

/** Calls that run at the same time and end in the opposite order. */
export const tools: Behaviour = async (turn, argument) => {
  const calls = Array.from({ length: Number(argument || 3) }, () => turn.id("call"));
  for (const [at, call] of calls.entries()) turn.say({ type: "tool.running", call, name: "count", input: { at } });
  for (const [at, call] of [...calls.entries()].reverse()) {
    turn.say({ type: "tool.output", call, delta: `output ` });
    await turn.check();
    turn.say({ type: "tool.done", call, ok: true, output: `output ${at}` });
  }
  await turn.speak(`I ran ${calls.length} tools.`);
};

/** The turn's end overtakes a tool's result. */
export const late: Behaviour = async (turn) => {
  const call = turn.id("call");
  turn.say({ type: "tool.running", call, name: "count", input: {} });
  await turn.speak("I am done before my tool is.");
  turn.after(async () => {
    await delay(50);
    turn.say({ type: "tool.done", call, ok: true, output: "late, but here" });
  });
};

/** A command goes on after its turn; when it is done, the agent begins a turn of its own to tell. */
export const background: Behaviour = async (turn, argument) => {
  const call = turn.id("call");
  turn.say({ type: "tool.running", call, name: "bash", title: "sleep", input: { command: "sleep" } });
  turn.say({ type: "tool.backgrounded", call });
  await turn.speak("It goes on in the background.");
  turn.after(async () => {
    await delay(Number(argument || 100));
    turn.say({ type: "tool.output", call, delta: "one more line\n" });
    turn.say({ type: "tool.done", call, ok: true, output: "one more line\n" });
    turn.begin(async (own) => {
      await own.speak("The background work is done.");
    });
  });
};

async function help(turn: Turn, child: ChildRef, asks: boolean): Promise<void> {
  if (asks) {
    const [call, ask] = [turn.id("call"), turn.id("ask")];
    turn.say({ type: "tool.seen", call, name: "bash", title: "true", input: { command: "true" } }, child);
    turn.say({ type: "permission", ask, call, action: "bash", patterns: ["true"], options: [...ASK_OPTIONS] }, child);
    const answer = await turn.answer(ask);
    turn.say({ type: "tool.done", call, ok: true, output: "nothing was run: this is a script" }, child);
    await turn.speak(`The answer was ${answer.outcome}.`, { child });
  }
  await turn.speak("I am the helper.", { child });
}

/** A sub-agent in a session of its own, for the session or for another sub-agent: so many levels deep. */
async function delegate(turn: Turn, by: ChildRef | undefined, depth: number, asks: boolean): Promise<void> {
  const call = turn.id("call");
  const child: ChildRef = { id: turn.id("child"), parent: by?.id, title: "A helper", agent: "helper", call };
  turn.say({ type: "tool.running", call, name: "task", title: "A helper", input: { task: turn.text } }, by);
  turn.say({ type: "turn.begun" }, child);
  try {
    if (depth > 1) await delegate(turn, child, depth - 1, asks);
    await help(turn, child, asks && depth === 1);
  } catch (error) {
    turn.say({ type: "turn.finished", reason: "cancelled" }, child);
    throw error;
  }
  turn.say({ type: "turn.finished", reason: "end_turn" }, child);
  turn.say({ type: "tool.done", call, ok: true, output: "I am the helper.", metadata: { child: child.id } }, by);
}

/** A sub-agent; with `ask` it wants a permission, with `deep` it has a sub-agent of its own, which then asks. */
export const subagent: Behaviour = async (turn, argument) => {
  const words = argument.split(" ");
  await delegate(turn, undefined, words.includes("deep") ? 2 : 1, words.includes("ask"));
  await turn.speak("My helper is done.");
};
