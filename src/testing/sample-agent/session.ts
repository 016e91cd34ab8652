import { randomBytes } from "node:crypto";
import type { Command } from "../../agents/line-protocol/commands.ts";
import type { OptionValues, Prompt } from "../../core/events/values.ts";
import { chooseBehaviour } from "./behaviours.ts";
import { Memory } from "./memory.ts";
import { answerTo } from "./requests.ts";
import { loadScript, type Script } from "./script.ts";
import { type Behaviour, Cancelled, createTurn, type Ending, type TurnControl } from "./turn.ts";
import { openWire, type Wire } from "./wire.ts";

export interface AgentOptions {
  /** Milliseconds between two words. */
  pace: number;
  script?: string;
  /** Where it remembers its sessions; nowhere unless told. */
  memory?: string;
}

interface Job {
  text: string;
  behaviour: Behaviour;
  own: boolean;
}

function textOf(prompt: Prompt): string {
  return prompt.parts
    .map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.path ?? "a file"}]`))
    .join("\n");
}

async function endingOf(job: Job, control: TurnControl): Promise<Ending> {
  try {
    return await job.behaviour(control.turn, "");
  } catch (error) {
    if (error instanceof Cancelled) return { reason: "cancelled" };
    return { reason: "error", error: { code: "script", message: String(error) } };
  }
}

/** Serves one session: one turn at a time, in the order in which they were asked for. */
export function serve(options: AgentOptions): void {
  const script: Script = options.script ? loadScript(options.script) : {};
  const run = randomBytes(4).toString("hex");
  const jobs: Job[] = [];
  let opened: Extract<Command, { type: "open" }> | undefined;
  const memory = new Memory(options.memory);
  let nativeId = "";
  let mode: string | undefined;
  let chosen: OptionValues = {};
  let current: TurnControl | undefined;
  let made = 0;
  const id = (kind: string): string => `${kind}-${run}-${++made}`;

  const finish = (turn: TurnControl["turn"], ending: Ending): void => {
    if (ending === "said") return;
    const usage = { tokens: { ...turn.words }, cost: 0 };
    wire.say({ type: "step.finished", finish: "stop" });
    wire.say({ type: "turn.finished", usage, ...(ending ?? { reason: "end_turn" }) });
  };

  const play = async (job: Job): Promise<void> => {
    const control = createTurn({
      text: job.text,
      directory: opened?.directory ?? process.cwd(),
      mode,
      options: chosen,
      mcpServers: opened?.mcpServers ?? [],
      wire,
      pace: options.pace,
      id,
      begin: (behaviour) => enqueue({ text: "", behaviour, own: true }),
    });
    current = control;
    if (job.own) wire.say({ type: "turn.begun" });
    wire.say({ type: "step.begun" });
    const ending = await endingOf(job, control);
    while (control.side.length > 0) await Promise.allSettled(control.side.splice(0));
    current = undefined;
    finish(control.turn, ending);
    for (const work of control.later) void work();
  };

  const pump = async (): Promise<void> => {
    for (let job = jobs[0]; job; job = jobs[0]) {
      await play(job);
      jobs.shift();
    }
  };
  const enqueue = (job: Job): void => {
    jobs.push(job);
    if (jobs.length === 1) void pump();
  };

  const begin = (command: Extract<Command, { type: "open" }>): void => {
    const { resume, model } = command;
    opened = command;
    mode = command.mode;
    chosen = command.options ?? {};
    if (resume !== undefined && !memory.knows(resume)) {
      wire.line({ type: "resume_lost" });
      return;
    }
    nativeId = resume ?? memory.newId();
    tellPast(memory.prompts(nativeId));
    wire.line({ type: "ready" });
    const { options } = command;
    wire.say({ type: "session", nativeId, model, mode, options, ...(resume && { resume: "resumed" as const }) });
  };

  /** As agents do that tell the conversation once more when they resume it. */
  const tellPast = (prompts: readonly string[]): void => {
    if (prompts.length === 0) return;
    wire.say({ type: "replay.begun" });
    for (const text of prompts) {
      wire.say({ type: "replay.prompt", parts: [{ type: "text", text }] });
      wire.say({
        type: "text.done",
        item: id("item"),
        kind: "message",
        role: "assistant",
        text: `I was told: ${text}`,
      });
    }
    wire.say({ type: "replay.ended" });
  };

  const steer = (prompt: Prompt): void => {
    if (current) current.side.push(current.turn.speak(`You added: ${textOf(prompt)}`));
    else enqueue({ text: textOf(prompt), behaviour: chooseBehaviour(textOf(prompt), script), own: false });
  };

  const handle = (command: Command): void => {
    switch (command.type) {
      case "open":
        return begin(command);
      case "prompt": {
        const text = textOf(command.prompt);
        mode = command.prompt.mode ?? mode;
        const asked = { session: opened?.session ?? "", prompt: command.prompt.id };
        memory.add(nativeId, opened?.directory ?? "", text, asked);
        return enqueue({ text, behaviour: chooseBehaviour(text, script), own: false });
      }
      case "rewind": {
        const reason = memory.rewind(nativeId, opened?.session ?? "", command.turns);
        wire.line(reason === undefined ? { type: "rewound" } : { type: "rewind_failed", reason });
        return;
      }
      case "steer":
        return steer(command.prompt);
      case "cancel":
        return current?.cancel();
      case "answer":
        return current?.answered(command.ask, command.answer);
      case "set":
        mode = command.mode ?? mode;
        chosen = { ...chosen, ...command.options };
        return wire.say({ type: "session", model: command.model, mode: command.mode, options: command.options });
      case "discover":
      case "sessions":
      case "fork":
        wire.line(answerTo(command, memory));
        return wire.leave(0);
      case "close":
        return wire.leave(0);
    }
  };
  const wire: Wire = openWire(handle);
}
