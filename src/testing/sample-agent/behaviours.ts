import { askPermission, askQuestion, plan } from "./ask-behaviours.ts";
import { readEdit } from "./read-edit.ts";
import { leave, type Script, scripted } from "./script.ts";
import { background, late, subagent, tools } from "./tool-behaviours.ts";
import type { Behaviour, Ending } from "./turn.ts";

const MARKER = /\[\[([a-z-]+)(?:\s+([^\]]*))?\]\]/g;
const SEED = /read readme\.md and add a line/i;
const FLOOD_BATCH = 200;

const answerPlainly: Behaviour = async (turn) => {
  await turn.speak(`This is Parley's scripted agent: no model is behind it. You said: ${turn.text}`);
};

const slow: Behaviour = async (turn, argument) => {
  const until = Date.now() + Number(argument || 60_000);
  const item = turn.id("item");
  while (Date.now() < until) {
    turn.say({ type: "text", item, kind: "message", role: "assistant", delta: "still working " });
    await turn.wait(Math.min(20, Math.max(0, until - Date.now())));
  }
  turn.say({ type: "text.done", item });
};

const fail: Behaviour = async (turn) => {
  const error = { code: "scripted", message: "the script asked for an error", retryable: false };
  turn.say({ type: "error", error });
  return { reason: "error", error };
};

const retry: Behaviour = async (turn) => {
  for (const attempt of [1, 2]) {
    const message = "the scripted model is busy";
    turn.say({ type: "status", status: "retrying", attempt, message, next: Date.now() + 30 });
    await turn.wait(30);
  }
  turn.say({ type: "status", status: "running" });
  await turn.speak("The third attempt worked.");
};

const die: Behaviour = async (turn, argument) => {
  await turn.speak("These are my last words.");
  process.stderr.write("the script asked me to die\n");
  await leave(turn, argument.startsWith("SIG") ? (argument as NodeJS.Signals) : Number(argument || 1));
};

/** As many deltas as asked for, as fast as the reader takes them. */
const flood: Behaviour = async (turn, argument) => {
  const total = Number(argument || 1000);
  const item = turn.id("item");
  for (let said = 0; said < total; said += FLOOD_BATCH) {
    let batch = "";
    for (let i = said; i < Math.min(total, said + FLOOD_BATCH); i++) {
      const delta = `word ${i + 1} `;
      batch += `${JSON.stringify({ type: "text", item, kind: "message", role: "assistant", delta })}\n`;
    }
    turn.wire.raw(batch);
    await turn.wire.room();
    await turn.check();
  }
  turn.words.output += total * 2;
  turn.say({ type: "text.done", item });
};

const reasoning: Behaviour = async (turn) => {
  await turn.speak("I think about what was said, and find that I cannot think.", { kind: "reasoning" });
  await turn.speak("I have thought about it.");
};

const tellOptions: Behaviour = async (turn) => {
  const chosen = Object.entries(turn.options).map(([id, value]) => `${id} is ${value}`);
  await turn.speak(chosen.length === 0 ? "No option was chosen." : `I work so: ${chosen.join(", ")}.`);
  return undefined;
};

/** Its servers, with the names and the lengths of what may be secret. */
const tellServers: Behaviour = async (turn) => {
  const told = turn.mcpServers.map((server) => {
    const secrets = Object.entries((server.type === "stdio" ? server.env : server.headers) ?? {});
    const lengths = secrets.map(([name, value]) => `${name} of ${value.length}`).join(" and ");
    return `${server.name} by ${server.type} at ${server.type === "stdio" ? server.command : server.url} with ${lengths}`;
  });
  await turn.speak(told.length === 0 ? "I have no servers." : `My servers: ${told.join("; ")}.`);
  return undefined;
};

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  "read-edit": readEdit,
  tools,
  ask: askPermission,
  question: askQuestion,
  plan,
  slow,
  error: fail,
  retry,
  die,
  flood,
  background,
  subagent,
  late,
  reasoning,
  options: tellOptions,
  mcp: tellServers,
};

/** The behaviours that the markers in a prompt name, one after the other in one turn. */
export function chooseBehaviour(text: string, script: Script): Behaviour {
  const chosen: { behaviour: Behaviour; argument: string }[] = [];
  for (const [, name = "", argument = ""] of text.matchAll(MARKER)) {
    const steps = script[name];
    const behaviour = steps ? scripted(steps) : BEHAVIOURS[name];
    if (behaviour) chosen.push({ behaviour, argument: argument.trim() });
  }
  const fallback = script["*"];
  if (chosen.length === 0 && fallback) return scripted(fallback);
  if (chosen.length === 0 && SEED.test(text)) return readEdit;
  if (chosen.length === 0) return answerPlainly;
  return async (turn) => {
    let ending: Ending;
    for (const { behaviour, argument } of chosen) {
      ending = await behaviour(turn, argument);
      if (ending) return ending;
    }
    return ending;
  };
}
