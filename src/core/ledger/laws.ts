import type { EventOf, ParleyEvent } from "../events/event.ts";
import type { Item } from "../events/items.ts";
import { beginsTurn } from "../session-state.ts";

/** A broken law: its number, the number of the event that breaks it, and how. */
export interface Violation {
  law: number;
  seq: number;
  message: string;
}

export interface Checked {
  /** Turns whose cancel was accepted; they must end `cancelled`. */
  cancelled?: ReadonlySet<string>;
  /** No more events will come: nothing may be left open. */
  final?: boolean;
}

interface OpenItem {
  item: Item;
  turn: string | undefined;
  text: string;
  /** Some of its deltas may be gone. */
  folded: boolean;
}

/** Reads a session's events in order and reports every broken law: none for a lawful session. */
export function checkLaws(events: readonly ParleyEvent[], checked: Checked = {}): Violation[] {
  const checker = new Checker(checked);
  for (const event of events) checker.take(event);
  if (checked.final) checker.close();
  return checker.violations;
}

class Checker {
  readonly violations: Violation[] = [];
  private readonly checked: Checked;
  private seq = 0;
  private alive: boolean | undefined;
  private turn: { id: string; errors: number } | null = null;
  private readonly turns = new Set<string>();
  private readonly cut = new Set<string>();
  private readonly open = new Map<string, OpenItem>();
  private readonly closed = new Set<string>();
  private readonly asks = new Set<string>();
  private readonly settled = new Set<string>();
  private readonly waiting = new Set<string>();
  /** Context: it may stay in the queue for ever. */
  private readonly kept = new Set<string>();
  private readonly prompts = new Set<string>();
  private step: number | null = null;

  constructor(checked: Checked) {
    this.checked = checked;
  }

  private broken(law: number, message: string): void {
    this.violations.push({ law, seq: this.seq, message });
  }

  take(event: ParleyEvent): void {
    if (event.seq - (event.folded ?? 0) > this.seq + 1)
      this.broken(8, `number ${event.seq} after ${this.seq}: events are missing`);
    // A fold may have dropped any of an open item's deltas.
    if (event.folded) for (const open of this.open.values()) open.folded = true;
    if (event.seq <= this.seq) this.broken(4, `number ${event.seq} after ${this.seq}: repeated`);
    this.seq = event.seq;
    this.checkSession(event);
    if (event.turn !== undefined && event.type !== "turn.started" && this.turn?.id !== event.turn) {
      this.broken(2, `${event.type} of turn ${event.turn}, which is not open`);
    }
    this.check(event);
  }

  private checkSession(event: ParleyEvent): void {
    if (event.type === "session.started") {
      if (this.alive) this.broken(1, "session.started twice");
      this.alive = true;
    } else if (event.type === "session.ended") {
      if (!this.alive && event.data.reason !== "deleted") this.broken(1, "session.ended twice");
      if (this.turn) this.broken(1, "session.ended inside a turn");
      this.alive = false;
    } else if (event.turn !== undefined && !this.alive) {
      this.broken(1, `${event.type} in a session that has not started`);
    }
  }

  private check(event: ParleyEvent): void {
    switch (event.type) {
      case "turn.started":
        return this.checkStart(event);
      case "turn.ended":
        return this.checkEnd(event.turn ?? "", event.data.reason);
      case "history.cut":
        return this.checkCut(event.data.turns);
      case "step.started":
        if (this.step !== null) this.broken(3, "a step began inside a step");
        this.step = event.data.step;
        return;
      case "step.ended":
        if (this.step !== event.data.step)
          this.broken(3, `step ${event.data.step} ended, ${this.step ?? "none"} was open`);
        this.step = null;
        return;
      case "error":
        if (this.turn && event.turn) this.turn.errors++;
        return;
      case "item.started": {
        const { item } = event.data;
        if (event.turn === undefined) this.broken(2, `item ${item.id} outside a turn`);
        if (this.open.has(item.id) || this.closed.has(item.id)) this.broken(4, `item ${item.id} started twice`);
        this.open.set(item.id, { item, turn: event.turn, text: "", folded: false });
        return;
      }
      case "item.updated": {
        const open = this.openItem(event.data.item, event.type);
        if (open && event.data.status) this.checkForward(open.item, event.data.status);
        if (open) open.item = { ...open.item, ...(event.data.status ? { status: event.data.status } : {}) } as Item;
        return;
      }
      case "item.delta": {
        const open = this.openItem(event.data.item, event.type);
        const { kind } = event.data;
        if (open && kind !== undefined && kind !== open.item.kind)
          this.broken(4, `a delta of a ${kind} for item ${event.data.item}, a ${open.item.kind}`);
        if (open && event.data.field === "text") open.text = event.data.replace ?? open.text + (event.data.delta ?? "");
        return;
      }
      case "item.completed":
        return this.checkCompleted(event.data.item);
      case "permission.requested":
      case "question.requested":
        if (event.turn === undefined) this.broken(7, `ask ${event.data.ask} outside a turn`);
        if (this.asks.has(event.data.ask) || this.settled.has(event.data.ask))
          this.broken(7, `ask ${event.data.ask} asked twice`);
        this.asks.add(event.data.ask);
        return;
      case "permission.resolved":
      case "question.resolved":
        if (!this.asks.delete(event.data.ask)) this.broken(7, `ask ${event.data.ask} resolved but not open`);
        this.settled.add(event.data.ask);
        return;
      case "prompt.queued":
        (beginsTurn(event.data.prompt) ? this.waiting : this.kept).add(event.data.prompt.id);
        return;
      case "prompt.withdrawn":
        if (!this.waiting.delete(event.data.prompt) && !this.kept.delete(event.data.prompt))
          this.broken(1, `prompt ${event.data.prompt} withdrawn but not waiting`);
        return;
      default:
        event.type satisfies
          | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
          | `${"plan" | "usage"}.updated`
          | ("turn.status" | "agent.unparsed");
    }
  }

  private checkStart({ turn: id = "", data: { prompt, context = [] } }: EventOf<"turn.started">): void {
    if (this.turn) this.broken(1, `turn ${id} began inside turn ${this.turn.id}`);
    if (this.turns.has(id)) this.broken(1, `turn ${id} began twice`);
    this.turns.add(id);
    this.turn = { id, errors: 0 };
    if (!prompt) return;
    if (this.prompts.has(prompt.id)) this.broken(1, `prompt ${prompt.id} began two turns`);
    this.prompts.add(prompt.id);
    this.waiting.delete(prompt.id);
    for (const kept of context)
      if (!this.kept.delete(kept.id)) this.broken(1, `context ${kept.id} was given to a turn but not kept`);
  }

  private checkCut(turns: readonly string[]): void {
    if (this.turn) this.broken(2, `turns were cut inside turn ${this.turn.id}`);
    for (const id of turns) {
      if (!this.turns.has(id) || this.cut.has(id)) this.broken(1, `turn ${id} was cut but is not there`);
      this.cut.add(id);
    }
  }

  private checkEnd(id: string, reason: string): void {
    if (this.turn?.id !== id) this.broken(1, `turn ${id} ended but was not open`);
    for (const { item } of this.open.values()) this.broken(6, `${item.kind} ${item.id} is open at the turn's end`);
    for (const ask of this.asks) this.broken(7, `ask ${ask} is open at the turn's end`);
    if (this.step !== null) this.broken(3, `step ${this.step} is open at the turn's end`);
    if (this.checked.cancelled?.has(id) && reason !== "cancelled")
      this.broken(9, `cancelled turn ${id} ended ${reason}`);
    const errors = this.turn?.errors ?? 0;
    if (errors !== (reason === "error" ? 1 : 0))
      this.broken(11, `turn ${id} ended ${reason} with ${errors} error events`);
    this.turn = null;
    this.step = null;
    this.open.clear();
    this.asks.clear();
  }

  private openItem(id: string, what: string): OpenItem | undefined {
    const open = this.open.get(id);
    if (!open) this.broken(4, `${what} of item ${id}, which is not open`);
    return open;
  }

  private checkForward(item: Item, status: string): void {
    if (item.kind !== "tool_call") return;
    if (!(item.status === "pending" && status === "running"))
      this.broken(5, `tool call ${item.id} went ${item.status} -> ${status}`);
  }

  private checkCompleted(item: Item): void {
    const open = this.openItem(item.id, "item.completed");
    this.open.delete(item.id);
    this.closed.add(item.id);
    if (!open) return;
    const streamed =
      item.kind === "message" ? item.role !== "user" : item.kind === "reasoning" || item.kind === "tool_result";
    if (streamed && !open.folded && open.text !== (("text" in item ? item.text : "") ?? "")) {
      this.broken(
        4,
        `item ${item.id} ended as ${JSON.stringify("text" in item ? item.text : "")}, streamed ${JSON.stringify(open.text)}`,
      );
    }
    if (item.kind === "tool_call") {
      if (item.status !== "completed" && item.status !== "failed")
        this.broken(5, `tool call ${item.id} ended ${item.status}`);
      if (item.status === "completed" && open.item.status !== "running")
        this.broken(5, `tool call ${item.id} completed without running`);
      if (item.status === "failed" && !item.error) this.broken(6, `tool call ${item.id} failed without saying why`);
    }
    if (item.kind === "message" && open.item.kind === "message" && item.role !== open.item.role)
      this.broken(8, `item ${item.id} changed its role`);
  }

  close(): void {
    if (this.turn) this.broken(1, `turn ${this.turn.id} never ended`);
    for (const id of this.waiting) this.broken(1, `prompt ${id} neither began nor was withdrawn`);
  }
}
