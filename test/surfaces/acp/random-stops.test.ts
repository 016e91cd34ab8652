import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyClient } from "../../../src/client/index.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import type { AttachedSession } from "../../../src/surfaces/acp/session/attached.ts";
import { prime, replay } from "../../../src/surfaces/acp/session/history.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import { cancel } from "../../../src/surfaces/acp/session/take-back.ts";
import { answered, asked, begun, call, ended } from "./log-client.ts";
import { nameOf, RuledClient } from "./ruled-client.ts";
import { FullLog, ROOT } from "./stopped-stage.ts";
import { told } from "./watcher.ts";

const deeds = ["begin", "call", "settle", "ask", "start", "end"] as const;
const faults = ["stop", "takeBack", "prune", "load", "lag"] as const;
const actions = fc.record({
  deed: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...deeds) },
    { weight: 2, arbitrary: fc.constantFrom(...faults) },
  ),
  /** The session that does it: the root, or a sub-agent. */
  at: fc.nat(3),
  isRead: fc.boolean(),
});

interface Work {
  id: string;
  turn: string | undefined;
  /** The root's turn that it works for. */
  of: string;
  calls: string[];
  asks: string[];
  /** What it does is not told. */
  isHidden: boolean;
}

const idle = (id: string): Work => ({ id, turn: undefined, of: "", calls: [], asks: [], isHidden: false });

/** A log that is written at random, by a root and its sub-agents, and the client that reads it. */
class Run {
  readonly client = new RuledClient();
  readonly #log = new FullLog().begin(ROOT);
  readonly #root = idle(ROOT);
  readonly #all = [this.#root];
  readonly #sessions: Sessions;
  #session: AttachedSession | undefined;
  #made = 0;
  /** The prompt that begins the next turn. */
  #next = "m_0";
  #isTaken = false;
  #isPruned = false;
  #lag: PromiseWithResolvers<void> | undefined;

  constructor() {
    const late = (one: ParleyClient): ParleyClient => ({
      ...one,
      session: (id) => {
        const session = one.session(id);
        const hear: typeof session.hear = (query, take) =>
          session.hear(query, async (event) => {
            await this.#lag?.promise;
            await take(event);
          });
        return Object.assign(Object.create(session), { hear });
      },
    });
    const options = { client: async () => late(this.#log.client()), version: "1", logger: silentLogger };
    this.#sessions = new Sessions(options, this.client.front);
  }

  async open(): Promise<void> {
    this.#session = await this.#sessions.attach(ROOT, prime);
  }

  async act(deed: (typeof deeds)[number] | (typeof faults)[number], at: number): Promise<void> {
    const one = this.#all[at];
    if (deed === "begin") this.#begin();
    else if (deed === "start") await this.#start(at);
    else if (deed === "stop") await this.#stop();
    else if (deed === "load") await this.#load();
    else if (deed === "lag") await this.#fallBehind();
    else if (deed === "prune") this.#prune(one);
    else if (deed === "takeBack") this.#takeBack();
    else if (one?.turn !== undefined) this.#work(deed, one, one.turn);
  }

  /** Has the client read all, and looks at what it is asked. */
  async read(): Promise<void> {
    await told();
    this.client.assertWell();
    if (this.#lag) return;
    const open = this.#all.filter(({ isHidden }) => !isHidden).flatMap(({ asks }) => asks);
    assert.deepEqual([...this.client.shown].sort(), open.sort(), "the asks that are shown");
  }

  async end(): Promise<void> {
    this.#catchUp();
    await this.read();
    for (const one of this.#all) if (one.turn !== undefined) this.#end(one, one.turn);
    await this.read();
    this.client.assertOver();
    await this.#sessions.close();
  }

  #begin(): void {
    const root = this.#root;
    if (root.turn !== undefined) return;
    const turn = `t${this.#name()}`;
    Object.assign(root, { turn, of: turn, isHidden: this.#isTaken });
    this.#log.turn = turn;
    if (this.#isTaken) this.client.hidden.add(turn);
    if (this.#isTaken) this.client.unknown.add(turn);
    this.#log.say(ROOT, begun(turn, this.#next));
    this.#next = `m_${turn}`;
    this.#isTaken = false;
  }

  #work(deed: "call" | "settle" | "ask" | "end", one: Work, turn: string): void {
    const name = `_${one.of}_${this.#name()}`;
    if (deed === "end") this.#end(one, turn);
    if (deed === "settle") this.#settle(one, turn, 1);
    if (deed === "call") this.#call(one, turn, `call${name}`);
    // An ask leads to a sub-agent that no call has told of, before it can be known that its turn is hidden.
    if (deed !== "ask" || (one.isHidden && this.#lag)) return;
    this.#call(one, turn, `call${name}`);
    this.#log.say(one.id, asked(turn, `per${name}`, `call${name}`));
    one.asks.push(name);
  }

  #call({ id, calls }: Work, turn: string, name: string, child?: string): void {
    this.#log.say(id, call(turn, name, "pending", child === undefined ? {} : { child }));
    calls.push(name);
  }

  #settle(one: Work, turn: string, count: number): void {
    for (const name of one.calls.splice(0, count)) {
      if (one.asks.includes(nameOf(name))) this.#log.say(one.id, answered(turn, `per${nameOf(name)}`));
      one.asks = one.asks.filter((ask) => ask !== nameOf(name));
      this.#log.say(one.id, call(turn, name, one.isHidden ? "failed" : "completed"));
    }
  }

  #end(one: Work, turn: string): void {
    this.#settle(one, turn, one.calls.length);
    this.#log.say(one.id, ended(turn));
    one.turn = undefined;
  }

  /** Has a sub-agent begin, or begin again. */
  async #start(at: number): Promise<void> {
    const { turn, isHidden, of } = this.#root;
    const known = this.#all[Math.max(at, 1)];
    if (turn === undefined || known?.turn !== undefined || (known && (isHidden || this.#lag))) return;
    const one = known ?? idle(`ses_${this.#all.length}`);
    if (!known) this.#log.begin(one.id, ROOT);
    if (!known) this.#all.push(one);
    Object.assign(one, { turn: `s${this.#name()}`, of, isHidden });
    this.#call(this.#root, turn, `task_${of}_${this.#name()}`, one.id);
    this.#log.say(one.id, begun(one.turn ?? ""));
    if (known) await told();
  }

  async #stop(): Promise<void> {
    const { turn, isHidden } = this.#root;
    if (turn === undefined || isHidden || !this.#session) return;
    this.client.hidden.add(turn);
    this.#hide(turn);
    await cancel(this.#session);
  }

  /** Sub-agents end with the turn. */
  #hide(turn: string): void {
    for (const one of this.#all) if (one.turn !== undefined) Object.assign(one, { isHidden: true, of: turn });
  }

  #takeBack(): void {
    if (!this.#isTaken) this.#session?.endUnbegun(this.#next);
    this.#isTaken = true;
  }

  #prune(one: Work | undefined): void {
    if (!one || one.turn !== undefined || this.#all.some(({ isHidden, turn }) => isHidden && turn !== undefined))
      return;
    this.#log.prune(one.id);
    this.#isPruned = true;
  }

  /** A client that loads the session gets all that is stored, but for the end of what is open. */
  async #load(): Promise<void> {
    this.#catchUp();
    // What is told last before a load may be no longer kept: nothing of the load would settle it.
    if (this.#isPruned) await told();
    const { isHidden, turn } = this.#root;
    if (turn !== undefined && isHidden) this.#hide(turn);
    else {
      this.client.hidden.clear();
      this.client.unknown.clear();
      for (const one of this.#all) one.isHidden = false;
    }
    this.#session = await this.client.load(() => this.#sessions.attach(ROOT, replay));
    await this.#session.greet();
  }

  /** From now on the root is read later than its sub-agents. */
  async #fallBehind(): Promise<void> {
    await told();
    this.#lag ??= Promise.withResolvers();
  }

  #catchUp(): void {
    this.#lag?.resolve();
    this.#lag = undefined;
  }

  #name(): number {
    this.#made += 1;
    return this.#made;
  }
}

test("turns, calls and asks keep to the protocol, however turns are stopped while nothing can be stored", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 10, maxLength: 60 }), async (todo) => {
      const run = new Run();
      await run.open();
      for (const { deed, at, isRead } of todo) {
        await run.act(deed, at);
        if (isRead) await run.read();
      }
      await run.end();
    }),
    { numRuns: 300 },
  );
});
