import type { PlanEntry } from "../../core/events/values.ts";
import type { Behaviour } from "./turn.ts";

export const ASK_OPTIONS = [
  { id: "once", kind: "once", label: "Allow once" },
  { id: "always", kind: "always", label: "Always allow" },
  { id: "reject", kind: "reject", label: "Reject" },
] as const;

/** A tool call that waits for permission and does nothing. */
export const askPermission: Behaviour = async (turn, argument) => {
  const call = turn.id("call");
  const ask = turn.id("ask");
  const command = argument || "true";
  turn.say({ type: "tool.seen", call, name: "bash", title: command, input: { command } });
  turn.say({ type: "permission", ask, call, action: "bash", patterns: [command], options: [...ASK_OPTIONS] });
  const answer = await turn.answer(ask);
  if (answer.outcome === "reject" || answer.outcome === "rejected") {
    const message = answer.feedback ?? "permission was rejected";
    turn.say({ type: "tool.done", call, ok: false, error: { code: "rejected", message } });
    await turn.speak(`I did not run it: ${message}.`);
    return;
  }
  turn.say({ type: "tool.running", call });
  turn.say({ type: "tool.done", call, ok: true, output: "nothing was run: this is a script" });
  await turn.speak(`You allowed it (${answer.outcome}).`);
};

export const askQuestion: Behaviour = async (turn) => {
  const ask = turn.id("ask");
  turn.say({
    type: "question",
    ask,
    questions: [
      {
        header: "Colour",
        question: "Which colour shall it be?",
        options: [{ label: "red" }, { label: "green", description: "the usual one" }],
        custom: true,
      },
    ],
  });
  const answer = await turn.answer(ask);
  const said = answer.outcome === "answered" ? answer.answers.map((list) => list.join(", ")).join("; ") : "nothing";
  await turn.speak(`You chose: ${said}.`);
};

export const plan: Behaviour = async (turn) => {
  const steps = ["look around", "do the work", "tell about it"];
  for (let at = 0; at <= steps.length; at++) {
    const entries = steps.map((text, i): PlanEntry => {
      const status = i < at ? "completed" : i === at ? "in_progress" : "pending";
      return { text, status };
    });
    turn.say({ type: "plan", entries });
    await turn.wait(5);
  }
  await turn.speak("The plan is done.");
};
