import type { EventOf } from "../../../core/events/event.ts";
import type { FileChange, Task, Usage } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import { addUsage } from "../../../core/usage.ts";
import type { MessageError } from "../shapes/message.ts";
import { derivedId, idBehind } from "./derived-ids.ts";
import { finishOf } from "./failures.ts";
import { absolute, changesHash } from "./file-diffs.ts";
import type { Answering } from "./session-shape.ts";
import type { Transcript } from "./transcript.ts";
import { countedTokens, unsaid } from "./usage.ts";

/** OpenCode's agent that makes summaries. */
const SUMMING = "compaction";

/** One model round trip: an assistant message of its own. */
export interface Step {
  number: number;
  /** Of its message. */
  id: string;
  /** The id of its first part. */
  first: string;
  /** That part is shown. */
  begun: boolean;
  /** The greatest id of its parts: what closes it sorts behind. */
  last: string;
  /** Its calls that are under way. */
  open: number;
  ended: boolean;
  concluded: boolean;
  finish?: string;
  usage?: Usage;
  error?: MessageError;
  files: FileChange[];
}

export interface StepFrame {
  sessionID: string;
  directory: string;
  /** When the turn began. */
  started: number;
  /** The task of the turn, where no model answers or none answers the user. */
  task?: Task["type"];
  /** The model and mode that answer, as far as they are known at the moment of the call. */
  answering(): Answering;
}

/** The steps of a turn and how their messages begin and end. */
export class TurnSteps {
  readonly #frame: StepFrame;
  readonly #transcript: Transcript;
  readonly #steps: Step[] = [];
  #used: Usage = {};

  constructor(frame: StepFrame, transcript: Transcript) {
    this.#frame = frame;
    this.#transcript = transcript;
  }

  /** A command that the user ran is nothing of a model's: its message has no steps. */
  get #bare(): boolean {
    return this.#frame.task === "shell";
  }

  get last(): Step | undefined {
    return this.#steps.at(-1);
  }

  get begun(): boolean {
    return this.#steps.some((step) => step.begun);
  }

  of(number: number | undefined): Step | undefined {
    return this.#numbered(number) ?? this.last;
  }

  /** Searched from the end: most callers mean a late one. */
  #numbered(number: number | undefined): Step | undefined {
    return this.#steps.findLast((step) => step.number === number);
  }

  /** The usage that the steps reported. */
  usage(): Usage {
    return this.#used;
  }

  /** A step begins: the one before it ended by calling tools. */
  start({ step: number, id, summary }: EventOf<"step.started">["data"], time: number, parentID: string): void {
    this.#concludeAll(time);
    const { sessionID, directory, started } = this.#frame;
    const { agent, providerID, modelID, variant } = this.#frame.answering();
    const sums = summary || this.#frame.task === "compact";
    const fresh = { begun: false, open: 0, ended: false, concluded: false, files: [] };
    const first = derivedId("prt", started, id);
    this.#steps.push({ number, id, first, last: first, ...fresh });
    this.#transcript.putMessage({
      id,
      sessionID,
      role: "assistant",
      time: { created: time },
      parentID,
      modelID,
      providerID,
      mode: sums ? SUMMING : agent,
      agent: sums ? SUMMING : agent,
      path: { cwd: directory, root: directory },
      ...(sums ? { summary: true } : {}),
      cost: 0,
      tokens: countedTokens(undefined),
      ...present({ variant }),
    });
  }

  end({ step: number, finish, usage }: EventOf<"step.ended">["data"], time: number): void {
    const step = this.#numbered(number);
    if (!step) return;
    step.ended = true;
    if (finish !== undefined && !this.#bare) step.finish = finishOf(finish);
    if (usage) {
      step.usage = usage;
      this.#used = addUsage(this.#used, usage);
    }
    this.settled(step, time);
  }

  /** Shows that the step has begun, before its first part. A step that says nothing shows nothing. */
  begin(step: Step): void {
    if (step.begun) return;
    step.begun = true;
    if (this.#bare) return;
    const { sessionID } = this.#frame;
    this.#transcript.putPart({ id: step.first, sessionID, messageID: step.id, type: "step-start" });
  }

  /** Makes room for a part. */
  place(step: Step, partID: string): void {
    this.begin(step);
    if (partID > step.last) step.last = partID;
  }

  /** A step that said why it ended is over as soon as its tools are. */
  settled(step: Step, time: number): void {
    if (step.concluded) this.#patch(step);
    else if (step.ended && step.finish !== undefined && step.open === 0) this.#conclude(step, step.finish, time);
  }

  /** The last word on every step, when the turn ends. */
  finish(finish: string | undefined, error: MessageError | undefined, usage: Usage | undefined, time: number): void {
    const { last } = this;
    if (!last) return;
    this.#concludeAll(time, last);
    const more = unsaid(usage, this.usage());
    const late = last.concluded && (error !== undefined || more.tokens !== undefined || more.cost !== undefined);
    last.usage = addUsage(last.usage ?? {}, more);
    if (error) last.error = error;
    this.#conclude(last, last.finish ?? finish, time);
    if (!late) return;
    this.#stepFinish(last);
    this.#putMessage(last, time);
  }

  setParent(step: Step, parentID: string): void {
    const info = this.#transcript.info(step.id);
    if (info?.role === "assistant") this.#transcript.putMessage({ ...info, parentID });
  }

  /** It is known now what answers. */
  restate(): void {
    const { agent, providerID, modelID } = this.#frame.answering();
    for (const step of this.#steps) {
      const info = this.#transcript.info(step.id);
      if (info?.role !== "assistant") continue;
      const by = info.summary ? SUMMING : agent;
      this.#transcript.putMessage({ ...info, agent: by, mode: by, providerID, modelID });
    }
  }

  /** Steps are concluded in their order, so that the open ones are the last of them. */
  #concludeAll(time: number, except?: Step): void {
    const first = this.#steps.findLastIndex((step) => step.concluded) + 1;
    for (const step of this.#steps.slice(first))
      if (step !== except) this.#conclude(step, step.finish ?? "tool-calls", time);
  }

  #conclude(step: Step, finish: string | undefined, time: number): void {
    if (step.concluded) return;
    step.concluded = true;
    if (finish !== undefined && !this.#bare) {
      step.finish = finish;
      this.begin(step);
      this.#stepFinish(step);
    }
    this.#patch(step);
    this.#putMessage(step, time);
  }

  #stepFinish(step: Step): void {
    if (step.finish === undefined) return;
    this.#transcript.putPart({
      id: idBehind(step.last, "z1"),
      sessionID: this.#frame.sessionID,
      messageID: step.id,
      type: "step-finish",
      reason: step.finish,
      cost: step.usage?.cost ?? 0,
      tokens: countedTokens(step.usage?.tokens),
    });
  }

  /** Says which files the step changed, behind everything else. */
  #patch(step: Step): void {
    if (step.files.length === 0) return;
    const { sessionID, directory } = this.#frame;
    this.#transcript.putPart({
      id: idBehind(step.last, "z2"),
      sessionID,
      messageID: step.id,
      type: "patch",
      hash: changesHash(step.files),
      files: [...new Set(step.files.map(({ path }) => absolute(directory, path)))],
    });
  }

  #putMessage(step: Step, time: number): void {
    const info = this.#transcript.info(step.id);
    if (info?.role !== "assistant") return;
    const { usage, finish, error } = step;
    this.#transcript.putMessage({
      ...info,
      time: { ...info.time, completed: info.time.completed ?? time },
      cost: usage?.cost ?? 0,
      tokens: countedTokens(usage?.tokens),
      ...present({ finish, error }),
    });
  }
}
