import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { MakeId } from "../../../src/core/ids.ts";
import { checkLaws, type Violation } from "../../../src/core/ledger/laws.ts";
import type { restore } from "../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type { Command, Effect, Input, LedgerState, newLedger, Refusal } from "../../../src/core/ledger/state.ts";
import type { step } from "../../../src/core/ledger/step.ts";
import { beginsTurn, reduceSession, type SessionState } from "../../../src/core/session-state.ts";

/** A ledger under test: the real one, or a mutant of it. */
export interface LedgerModule {
  step: typeof step;
  newLedger: typeof newLedger;
  restore: typeof restore;
}

export function countingIds(): MakeId {
  let count = 0;
  return (kind) => `${kind}_${++count}`;
}

const SESSION = "ses_test";

/** Signals of the turn level. */
const ENDS: ReadonlySet<string> = new Set(["turn.finished", "exited"]);
/** In a replay, the next prompt and the end of the replay end a turn of the past, and no other turn. */
const REPLAY_ENDS: ReadonlySet<string> = new Set(["replay.prompt", "replay.ended"]);

/** One session driven by hand: keeps its events numbered, its timers waiting and its effects to look at. */
export class World {
  readonly events: ParleyEvent[] = [];
  readonly cancelled = new Set<string>();
  readonly accepted = new Set<string>();
  /** How many events there were after each step: a step is stored whole or not at all. */
  readonly boundaries: number[] = [];
  effects: Effect[] = [];
  timers: { name: "grace" | "quiet"; turn: string; ms: number }[] = [];
  refusals: Refusal[] = [];
  session: SessionState | undefined;
  state: LedgerState;
  now = 1_000;
  /** Broken laws that the list of events alone does not show. */
  readonly violations: Violation[] = [];
  private readonly ledger: LedgerModule;
  private readonly id: MakeId;
  private readonly quietMs: number | undefined;
  private finishSeen = false;
  /** Between `replay.begun` and its end, or the exit of the agent. */
  private replaying = false;

  constructor(ledger: LedgerModule, options: { quietMs?: number; id?: MakeId } = {}) {
    this.ledger = ledger;
    this.id = options.id ?? countingIds();
    this.quietMs = options.quietMs;
    this.state = ledger.newLedger("scripted", "/project", {});
    this.record([
      {
        type: "session.started",
        time: this.now,
        source: "parley",
        data: { agent: "scripted", directory: "/project", version: 1 },
      },
    ]);
  }

  signal(signal: Signal): this {
    return this.apply({ signal });
  }

  command(command: Command): this {
    return this.apply({ command });
  }

  prompt(id: string, extra: { delivery?: "queue" | "steer" | "reject" | "context" } = {}): this {
    return this.command({ type: "prompt", prompt: { id, parts: [{ type: "text", text: `do ${id}` }], ...extra } });
  }

  private apply(input: Input): this {
    this.now += 1;
    const before = this.state;
    const turn = before.turn?.id;
    const result = this.ledger.step(before, input, {
      now: this.now,
      id: this.id,
      ...(this.quietMs === undefined ? {} : { quietMs: this.quietMs }),
    });
    if (result.refusal) this.refusals.push(result.refusal);
    else this.noteInput(input, turn);
    if ("signal" in input && input.signal.type === "turn.finished" && turn) this.finishSeen = true;
    for (const { type, data } of result.events) {
      if (type === "item.delta" && data.kind === undefined)
        this.violations.push({ law: 4, seq: this.events.length, message: `a delta of ${data.item} without its kind` });
    }
    const endedEarly = result.events.some((event) => event.type === "turn.ended") && !this.mayEnd(input);
    if (endedEarly)
      this.violations.push({ law: 3, seq: this.events.length, message: `a turn ended on ${JSON.stringify(input)}` });
    if ("signal" in input) this.noteReplay(input.signal);
    this.state = result.state;
    this.effects.push(...result.effects);
    this.record(result.events);
    for (const effect of result.effects) {
      if (effect.type === "timer") {
        this.timers = this.timers.filter((timer) => timer.name !== effect.name || timer.turn !== effect.turn);
        this.timers.push(effect);
      }
      if (effect.type === "ended") this.finishSeen = false;
    }
    return this;
  }

  private noteInput(input: Input, turn: string | undefined): void {
    if (!("command" in input)) return;
    if (input.command.type === "prompt") this.accepted.add(input.command.prompt.id);
    if (input.command.type === "cancel" && turn) this.cancelled.add(turn);
  }

  private noteReplay({ type }: Signal): void {
    if (type === "replay.begun") this.replaying = true;
    if (type === "replay.ended" || type === "exited") this.replaying = false;
  }

  /** Whether the open turn was told in the replay that is going on. */
  private get isPast(): boolean {
    return this.replaying && this.of("turn.started").at(-1)?.data.replayed === true;
  }

  /** Law 3: only a turn-level signal ends a turn, or what stands for one. */
  private mayEnd(input: Input): boolean {
    if ("signal" in input) {
      const { type } = input.signal;
      return this.finishSeen || ENDS.has(type) || (REPLAY_ENDS.has(type) && this.isPast);
    }
    const { command } = input;
    if (command.type === "timer") return command.name === "quiet" || this.finishSeen;
    return command.type === "fail" || command.type === "crashed" || this.finishSeen;
  }

  private record(
    drafts: readonly { type: string; time: number; source: string; data: unknown; turn?: string }[],
  ): void {
    for (const draft of drafts) {
      const seq = this.events.length + 1;
      const event = { id: `${SESSION}:${seq}`, seq, session: SESSION, ...draft } as ParleyEvent;
      this.events.push(event);
      this.session = reduceSession(this.session, event);
    }
    this.boundaries.push(this.events.length);
  }

  fireTimers(): this {
    const due = this.timers;
    this.timers = [];
    for (const { name, turn } of due) this.command({ type: "timer", name, turn });
    return this;
  }

  exit(): this {
    return this.signal({ type: "exited", code: 1, signal: null, stderr: ["gone"] });
  }

  /** Lets the agent die until nothing is open and nothing waits. */
  settle(): this {
    this.fireTimers();
    for (let i = 0; i < 500 && (this.state.turn || this.state.queue.some(beginsTurn)); i++) {
      if (this.state.turn) this.exit();
      else this.command({ type: "next" });
    }
    return this;
  }

  /** The events after a crash at which only so many steps were stored, with the repair of the next boot. */
  crashAfter(steps: number): World {
    const count = this.boundaries[steps] ?? this.events.length;
    const after = new World(this.ledger, { id: this.id });
    after.events.length = 0;
    after.session = undefined;
    for (const event of this.events.slice(0, count)) {
      after.events.push(event);
      after.session = reduceSession(after.session, event);
    }
    if (!after.session) throw new Error("a crash needs at least the session's first event");
    const from = after.session.turn?.seq ?? count + 1;
    after.state = this.ledger.restore(after.session, after.events.slice(from - 1));
    return after.command({ type: "crashed" });
  }

  broken(final = true): Violation[] {
    return [...this.violations, ...checkLaws(this.events, { cancelled: this.cancelled, final })];
  }

  of<T extends ParleyEvent["type"]>(type: T): Extract<ParleyEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<ParleyEvent, { type: T }> => event.type === type);
  }
}
