import type { ParleyEvent } from "../../../../core/events/event.ts";
import { revertOf } from "../../../../core/ledger/revert.ts";
import type { SessionState } from "../../../../core/session-state.ts";
import type { Projected } from "../../projection/outbox.ts";
import type { SessionEvent } from "../../shapes/event.ts";
import type { Message } from "../../shapes/message.ts";
import type { NextEvent, NextEvents, NextName } from "../../shapes/next.ts";
import { isSynthetic, nextPermission, promptOf, type TurnPrompt, textOf } from "./message.ts";
import { revertState } from "./revert-state.ts";
import { StepEvents } from "./step-events.ts";
import { Switches } from "./switches.ts";

/** Events that both halves have, with the same facts. */
const SHARED: ReadonlySet<string> = new Set([
  "session.created",
  "session.updated",
  "session.deleted",
  "session.status",
  "session.idle",
  "session.error",
  "session.diff",
  "todo.updated",
  "file.edited",
  "tui.toast.show",
]);

export type Say = <N extends NextName>(name: N, data: NextEvents[N], durable?: boolean) => void;

/**
 * A session's events as the newer streams tell them, made from those of the older ones: the same order, each thing begun once and
 * ended once. It must see all events of a turn. Events that come of a delta are not kept, because the log does not keep deltas.
 */
export class Translator {
  readonly #switches = new Switches();
  /** The user's messages of the turn that are not told yet, and those that are. */
  readonly #users = new Set<string>();
  readonly #told = new Set<string>();
  /** The turn's steps by their messages. A late word of a tool belongs to an earlier one. */
  readonly #steps = new Map<string, StepEvents>();
  readonly #open = new Set<StepEvents>();
  #last: StepEvents | undefined;
  #prompt: TurnPrompt | undefined;
  #cut = false;
  #said: NextEvent[] = [];
  #durable = true;
  #base = { timestamp: 0, sessionID: "" };

  /** The events that become of an event of the log which the older streams tell like this; the state is that after it. */
  take(event: ParleyEvent, projected: readonly Projected[], state: SessionState): NextEvent[] {
    this.#said = [];
    this.#durable = event.type !== "item.delta";
    this.#base = { timestamp: event.time, sessionID: state.id };
    this.#before(event, state);
    for (const one of projected) {
      // A turn's last step ends when all is said of it, and before the session is idle.
      if (event.type === "turn.ended" && one.event.type.startsWith("session.")) this.#endSteps();
      this.#translate(one, projected, event, state);
    }
    this.#settleSteps(this.#last);
    return this.#said;
  }

  readonly #say: Say = (name, data, durable = this.#durable) => {
    // Not a copy: a field that is made when it is read stays so.
    const whole: object = Object.assign(data, this.#base);
    this.#said.push({ type: `session.next.${name}`, data: whole as Record<string, unknown>, durable });
  };

  #pass(type: string, data: object): void {
    this.#said.push({ type, data: data as Record<string, unknown>, durable: false });
  }

  /** The events that the older half has no word for. */
  #before(event: ParleyEvent, state: SessionState): void {
    for (const { messageID, agent, model } of this.#switches.take(event, state)) {
      if (agent !== undefined) this.#say("agent.switched", { messageID, agent });
      if (model) this.#say("model.switched", { messageID, model });
    }
    switch (event.type) {
      case "turn.started":
        this.#prompt = event.data.prompt;
        this.#users.clear();
        this.#told.clear();
        this.#steps.clear();
        this.#open.clear();
        return;
      case "session.updated":
        return this.#reverted(event.data.meta);
      case "history.cut":
        this.#cut = true;
        return this.#say("revert.committed", { messageID: event.data.messages[0] ?? "" });
      case "turn.status": {
        const { data } = event;
        if (data.status !== "retrying") return;
        this.#say("retried", { attempt: data.attempt, error: { message: data.message, isRetryable: true } });
      }
    }
  }

  #reverted(meta: Readonly<Record<string, unknown>> | undefined): void {
    if (meta?.revert === undefined) return;
    const revert = revertOf(meta);
    if (revert) this.#say("revert.staged", { revert: revertState(revert) });
    else if (!this.#cut) this.#say("revert.cleared", {});
    this.#cut = false;
  }

  #translate(
    { event: said, part }: Projected,
    all: readonly Projected[],
    event: ParleyEvent,
    state: SessionState,
  ): void {
    if (SHARED.has(said.type)) return this.#pass(said.type, said.properties);
    switch (said.type) {
      case "message.updated":
        return this.#message(said.properties.info);
      case "message.part.updated":
        if (this.#users.has(said.properties.part.messageID)) this.#userSaid(said.properties.part.messageID, all, event);
        else this.#steps.get(said.properties.part.messageID)?.part(said.properties.part, this.#say);
        return;
      case "message.part.delta":
        if (part) this.#steps.get(part.messageID)?.delta(part, said.properties.delta, this.#say);
        return;
      case "message.part.removed":
        return this.#steps.get(said.properties.messageID)?.retract(said.properties.partID, this.#say);
      default:
        return this.#asked(said, state);
    }
  }

  #asked(said: SessionEvent, { id: sessionID }: SessionState): void {
    switch (said.type) {
      case "permission.asked":
        return this.#pass("permission.v2.asked", nextPermission(said.properties));
      case "permission.replied":
        return this.#pass("permission.v2.replied", { ...said.properties, sessionID });
      case "question.asked":
        return this.#pass("question.v2.asked", said.properties);
      case "question.replied":
      case "question.rejected":
        return this.#pass(said.type.replace("question.", "question.v2."), said.properties);
    }
  }

  #message(info: Message): void {
    if (info.role === "user") {
      if (!this.#told.has(info.id)) this.#users.add(info.id);
      return;
    }
    const known = this.#steps.get(info.id);
    if (known) return known.learn(info);
    this.#settleSteps();
    const step = new StepEvents(info, this.#prompt?.task);
    this.#steps.set(info.id, step);
    this.#open.add(step);
    this.#last = step;
    step.begin(this.#say);
  }

  /** Ends the steps whose calls are over, but for the one that goes on. */
  #settleSteps(goesOn?: StepEvents): void {
    for (const step of this.#open) if (step !== goesOn && step.settle(this.#say)) this.#open.delete(step);
  }

  #endSteps(): void {
    for (const step of this.#open) step.end(this.#say);
    this.#open.clear();
    this.#last = undefined;
  }

  /** A user's message comes with all its parts in one event of the log: it is told once, with all of them. */
  #userSaid(id: string, projected: readonly Projected[], event: ParleyEvent): void {
    this.#users.delete(id);
    const waits = event.type === "prompt.queued";
    if (!waits) this.#told.add(id);
    if (id === this.#prompt?.id && this.#prompt.task) return;
    if (waits && event.data.prompt.task) return;
    const parts = projected.flatMap(({ event: { type, properties } }) =>
      type === "message.part.updated" && properties.part.messageID === id ? [properties.part] : [],
    );
    if (isSynthetic(parts))
      return waits ? undefined : this.#say("synthetic", { messageID: id, text: textOf(parts).text });
    const item = event.type === "item.completed" && event.data.item.kind === "message" ? event.data.item : undefined;
    const prompted = { messageID: id, prompt: promptOf(parts), delivery: item?.steered ? "steer" : "queue" } as const;
    if (waits || item?.queued === undefined) this.#say("prompt.admitted", prompted);
    if (!waits) this.#say("prompted", prompted);
  }
}
