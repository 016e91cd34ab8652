import { isDeepStrictEqual } from "node:util";
import type { Task } from "../../../../core/events/values.ts";
import type { AssistantMessage, Part, ToolPart } from "../../shapes/message.ts";
import type { ToolContent } from "../../shapes/next.ts";
import { changedIn, errorOf, finishOf, reasonOf, summaryOf, tokensOf } from "./message.ts";
import { shellFacts, structuredOf, toolContentOf, toolErrorOf } from "./tool.ts";
import type { Say } from "./translator.ts";

const PROVIDER = { provider: { executed: false } };

/** The known facts of a call that has just begun. */
const NO_FACTS: Facts = { structured: {}, content: [] };

interface Facts {
  structured: Record<string, unknown>;
  content: ToolContent[];
}

type Kind = "step" | "compaction" | "shell";

/** The events of one message of the agent: of a step, of a summary, or of a command that the user ran. */
export class StepEvents {
  #info: AssistantMessage;
  readonly #task: Task | undefined;
  readonly #kind: Kind;
  readonly #parts = new Map<string, Part>();
  readonly #facts = new Map<string, Facts>();
  /** Its calls that are under way. */
  readonly #open = new Set<string>();
  /** The call that stands for the user's command. */
  #command: string | undefined;
  #ended = false;

  constructor(info: AssistantMessage, task: Task | undefined) {
    this.#info = info;
    this.#task = task;
    this.#kind = task?.type === "shell" ? "shell" : info.summary ? "compaction" : "step";
  }

  get id(): string {
    return this.#info.id;
  }

  learn(info: AssistantMessage): void {
    this.#info = info;
  }

  /** Ends it unless one of its calls is still under way. False: it must be asked again. */
  settle(say: Say): boolean {
    if (this.#open.size === 0) this.end(say);
    return this.#ended;
  }

  begin(say: Say): void {
    const { id, agent, modelID, providerID } = this.#info;
    if (this.#kind === "compaction") say("compaction.started", { messageID: id, reason: reasonOf(this.#task) });
    if (this.#kind === "step")
      say("step.started", { assistantMessageID: id, agent, model: { id: modelID, providerID } });
  }

  /** The one end of it, when nothing more can be said of it. */
  end(say: Say): void {
    if (this.#ended) return;
    this.#ended = true;
    const { id, error, cost, tokens, path } = this.#info;
    const parts = this.#parts.values();
    if (this.#kind === "compaction" && !error)
      say("compaction.ended", { messageID: id, reason: reasonOf(this.#task), text: summaryOf(parts), recent: "" });
    if (this.#kind !== "step") return;
    const step = { assistantMessageID: id };
    if (error) return say("step.failed", { ...step, error: errorOf(error) });
    const files = changedIn(parts, path.cwd);
    say("step.ended", { ...step, finish: finishOf(this.#info), cost, tokens: tokensOf(tokens), files });
  }

  part(part: Part, say: Say): void {
    const before = this.#parts.get(part.id);
    this.#parts.set(part.id, part);
    if (this.#kind === "compaction") return;
    if (part.type === "tool") return this.#tool(part, before?.type === "tool" ? before : undefined, say);
    if (part.type !== "text" && part.type !== "reasoning") return;
    const step = { assistantMessageID: this.id };
    const { id, text, time } = part;
    const ended = time?.end !== undefined;
    if (part.type === "text") {
      if (!before) say("text.started", { ...step, textID: id });
      if (ended) say("text.ended", { ...step, textID: id, text });
    } else {
      if (!before) say("reasoning.started", { ...step, reasoningID: id });
      if (ended) say("reasoning.ended", { ...step, reasoningID: id, text });
    }
  }

  delta(part: Part, delta: string, say: Say): void {
    this.#parts.set(part.id, part);
    const { id } = part;
    if (this.#kind === "compaction") return say("compaction.delta", { messageID: this.id, text: delta });
    const step = { assistantMessageID: this.id };
    if (part.type === "reasoning") say("reasoning.delta", { ...step, reasoningID: id, delta });
    else say("text.delta", { ...step, textID: id, delta });
  }

  /** A text that the agent took back ends as an empty one: the newer half has no event that removes it. */
  retract(partID: string, say: Say): void {
    const part = this.#parts.get(partID);
    this.#parts.delete(partID);
    const step = { assistantMessageID: this.id };
    if (part?.type === "text") say("text.ended", { ...step, textID: partID, text: "" });
    if (part?.type === "reasoning") say("reasoning.ended", { ...step, reasoningID: partID, text: "" });
  }

  #tool(part: ToolPart, before: ToolPart | undefined, say: Say): void {
    const { state, callID, tool } = part;
    if (state.status === "pending" || state.status === "running") this.#open.add(callID);
    else this.#open.delete(callID);
    if (this.#kind === "shell") return this.#shell(part, before, say);
    const call = { assistantMessageID: this.id, callID };
    if (!before) say("tool.input.started", { ...call, name: tool });
    if (state.status === "pending") return;
    const was = before?.state.status ?? "pending";
    if (was === "pending") {
      const { input } = state;
      let text: string | undefined;
      say("tool.input.ended", {
        ...call,
        // A long one takes a while, and most often nobody listens to the newer half.
        get text() {
          text ??= JSON.stringify(input);
          return text;
        },
      });
      say("tool.called", { ...call, tool, input: state.input, ...PROVIDER });
    }
    const facts = { structured: structuredOf(state), content: toolContentOf(state) };
    // A failure has no facts of its own: clients keep those that they heard last.
    if (state.status !== "completed" && !isDeepStrictEqual(facts, this.#facts.get(callID) ?? NO_FACTS))
      say("tool.progress", { ...call, ...facts });
    this.#facts.set(callID, facts);
    if (state.status === "completed") say("tool.success", { ...call, ...facts, outputPaths: [], ...PROVIDER });
    if (state.status === "error") say("tool.failed", { ...call, error: toolErrorOf(state), ...PROVIDER });
  }

  #shell({ state, callID }: ToolPart, before: ToolPart | undefined, say: Say): void {
    const { command, output } = shellFacts(state);
    this.#command ??= callID;
    if (this.#command !== callID) return;
    if (!before) say("shell.started", { messageID: this.id, callID, command });
    if (state.status === "completed" || state.status === "error") say("shell.ended", { callID, output });
  }
}
