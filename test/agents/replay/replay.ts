import type { ChildRef } from "../../../src/agents/contract.ts";
import { type Fields, isFields, jsonIn } from "../../../src/core/json/fields.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { countingIds, World } from "../../core/ledger/world.ts";
import { type Recorded, textOf } from "./recording.ts";

const GRACE_MS = 250;
const ledger = { step, newLedger, restore };

/** Plays a recording through a decoder into ledgers, one for the session and one for each sub-agent. */
export abstract class Replay {
  readonly root = new World(ledger);
  readonly children = new Map<string, { ref: ChildRef; world: World }>();
  readonly signals: { signal: Signal; child?: ChildRef }[] = [];
  readonly noise: string[] = [];
  private readonly stderr: string[] = [];
  private graceAt = Number.POSITIVE_INFINITY;
  private exited = false;

  /** Has the decoder read a line of the program. */
  abstract read(text: string, now: number): void;
  /** A line that was written to the program. */
  protected abstract wrote(line: Fields): void;
  /** The program began to work in a directory. */
  protected began(_directory: string): void {}

  take(recorded: Recorded): this {
    const { t, dir, line } = recorded;
    if (t >= this.graceAt) this.fire();
    if (dir === "cwd") this.began(String(line));
    else if (dir === "out") this.read(textOf(recorded), t);
    else if (dir === "in") this.write(textOf(recorded));
    else if (dir === "err") this.stderr.push(String(line));
    else if (isFields(line)) this.exit(line);
    if (this.root.timers.length > 0) this.graceAt = Math.min(this.graceAt, t + GRACE_MS);
    return this;
  }

  private write(text: string): void {
    const line = jsonIn(text);
    if (isFields(line)) this.wrote(line);
  }

  protected say(signal: Signal, child?: ChildRef): void {
    this.signals.push(child ? { signal, child } : { signal });
    this.worldOf(child).signal(signal);
  }

  protected worldOf(child: ChildRef | undefined): World {
    if (!child) return this.root;
    const known = this.children.get(child.id) ?? { ref: child, world: new World(ledger, { id: countingIds() }) };
    this.children.set(child.id, known);
    return known.world;
  }

  private fire(): void {
    this.graceAt = Number.POSITIVE_INFINITY;
    for (const world of this.worlds()) world.fireTimers();
  }

  private exit({ code, signal }: Fields): void {
    this.exited = true;
    const exited = { type: "exited", code, signal, stderr: this.stderr } as Extract<Signal, { type: "exited" }>;
    for (const world of this.worlds()) world.signal(exited);
  }

  worlds(): World[] {
    return [this.root, ...[...this.children.values()].map(({ world }) => world)];
  }

  /** Nothing more comes. A recording may have stopped before the program did: then the program was ended with it. */
  end(): this {
    this.fire();
    if (!this.exited) this.exit({ code: null, signal: "SIGKILL" });
    return this;
  }
}

/** A whole recording, played to its end. */
export function playAll<R extends Replay>(played: R, lines: readonly Recorded[]): R {
  for (const line of lines) played.take(line);
  return played.end();
}
