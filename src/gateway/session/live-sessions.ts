import { isDeepStrictEqual } from "node:util";
import type { Agent, ChildRef } from "../../agents/contract.ts";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { PermissionRule } from "../../core/events/values.ts";
import { SCHEMA_VERSION } from "../../core/events/version.ts";
import { present } from "../../core/json/fields.ts";
import { restore } from "../../core/ledger/restore.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { type Create, newLedger } from "../../core/ledger/state.ts";
import { beginsTurn, type Facts } from "../../core/session-state.ts";
import { unknownAgent } from "../../core/unknown-agent.ts";
import { Attachments } from "../attachments.ts";
import { IdleAgents } from "../idle/idle-agents.ts";
import type { GatewayOptions } from "../options.ts";
import { readEvents } from "../read-events.ts";
import { TurnMetrics } from "../turn-metrics.ts";
import type { Kin } from "./kin.ts";
import type { LiveOptions } from "./live-options.ts";
import type { LiveSession } from "./live-session.ts";

/** The sessions that are in memory. There is never more than one object for a session: it is the log's only writer. */
export class LiveSessions {
  readonly attachments: Attachments;
  private readonly options: GatewayOptions;
  private readonly metrics: TurnMetrics;
  /** Loaded with the first session: the ledger and its rules are no part of the server's start. */
  private kind: typeof LiveSession | undefined;
  private readonly idleAgents: IdleAgents;
  private readonly live = new Map<string, LiveSession>();
  private readonly loading = new Map<string, Promise<LiveSession>>();
  /** Settled when a session that can store nothing more is forgotten. */
  private readonly burials = new WeakMap<LiveSession, Promise<void>>();
  private leaving = false;
  private readonly uses = new Map<string, number>();
  /** Sub-agents' sessions, however deep, by their root and the agent's id of them. */
  private readonly children = new Map<string, Map<string, LiveSession>>();
  /** The rules that a sub-agent's session has from the one it works for. */
  private readonly inherited = new WeakMap<LiveSession, readonly PermissionRule[]>();

  constructor(options: GatewayOptions) {
    this.options = options;
    this.attachments = new Attachments(options.watches);
    this.metrics = new TurnMetrics(options.metrics, () => this.all().map(({ ledger }) => ledger));
    this.idleAgents = new IdleAgents(options.idleAgents, options.metrics);
    const running = (): number => this.all().filter((session) => session.agentRunning).length;
    options.metrics.read("gauge", "parley_agents_running", "Agents that run now.", running);
  }

  all(): LiveSession[] {
    return [...this.live.values()];
  }

  find(id: string): LiveSession | undefined {
    return this.live.get(id);
  }

  /** A session and its sub-agents' sessions, however deep. */
  family(id: string): LiveSession[] {
    return this.all().filter((session) => session.id === id || session.root === id || this.isBelow(session, id));
  }

  private subAgentsOf(root: string): LiveSession[] {
    return [...(this.children.get(root)?.values() ?? [])];
  }

  /** The sub-agents' sessions that work for a session, however deep. */
  private below({ id, root }: Pick<LiveOptions, "id" | "root">): LiveSession[] {
    const all = this.subAgentsOf(root ?? id);
    return root === undefined ? all : all.filter((session) => this.isBelow(session, id));
  }

  private isBelow({ parent }: LiveSession, id: string): boolean {
    if (parent === undefined || parent === id) return parent === id;
    const above = this.live.get(parent);
    return above !== undefined && this.isBelow(above, id);
  }

  /** The right to all sessions is lost: nothing more is stored from here, and their agents are ended. */
  fence(error: ParleyError): void {
    for (const session of this.all()) session.fence(error);
  }

  /** The server shuts down: a session whose object failed is not loaded again. */
  leave(): void {
    this.leaving = true;
  }

  /** Works with a session, which stays in memory for at least as long. */
  async use<T>(id: string, work: (session: LiveSession) => Promise<T>): Promise<T> {
    this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
    try {
      return await work(await this.load(id));
    } finally {
      const left = (this.uses.get(id) ?? 1) - 1;
      if (left > 0) this.uses.set(id, left);
      else this.uses.delete(id);
      this.forgetIfResting(id);
    }
  }

  /** Drops a session and its sub-agents' from memory. */
  forget(id: string): void {
    for (const session of [...this.subAgentsOf(id), this.live.get(id)]) {
      session?.dispose();
      if (session) this.live.delete(session.id);
    }
    this.children.delete(id);
  }

  /** Forgets a session's object that can store nothing more. Another one is made from the log, and closes the open turn. */
  private bury(session: LiveSession, error: unknown): void {
    const { id, root, ledger } = session;
    session.dispose();
    if (this.live.get(id) === session) this.live.delete(id);
    const siblings = this.children.get(root ?? "") ?? new Map<string, LiveSession>();
    for (const [ref, child] of siblings) if (child === session) siblings.delete(ref);
    const children = this.subAgentsOf(id);
    this.children.delete(id);
    for (const child of children) this.forgetIfResting(child.id);
    if (root !== undefined) this.live.get(root)?.inbox.wake();
    const lost = isParleyError(error) && (error.code === "fenced" || error.code === "shutting_down");
    if (lost || this.leaving || (!ledger.turn && !ledger.queue.some(beginsTurn))) return;
    this.use(id, (next) => next.next()).catch((err: unknown) => {
      this.options.logger.warn({ session: id, err }, "a session could not be loaded again; its next command tries it");
    });
  }

  /** A session leaves memory with its sub-agents' sessions, when none of them is used. */
  private forgetIfResting(id: string): void {
    const session = this.live.get(id);
    if (session?.root !== undefined && this.hasLiveRoot(session)) return this.forgetIfResting(session.root);
    const used = [id, ...this.subAgentsOf(id).map((child) => child.id)].some((one) => this.uses.has(one));
    if (session?.resting && !used) this.forget(id);
  }

  /** Sub-agents' sessions stay as long as the session they belong to: it may speak of them again. */
  private hasLiveRoot(session: LiveSession): boolean {
    return session.root !== undefined && this.subAgentsOf(session.root).includes(session);
  }

  private load(id: string): Promise<LiveSession> {
    const live = this.live.get(id);
    if (live?.dead) return Promise.resolve(this.burials.get(live)).then(() => this.load(id));
    if (live) return Promise.resolve(live);
    const loading = this.loading.get(id) ?? this.read(id).finally(() => this.loading.delete(id));
    this.loading.set(id, loading);
    return loading;
  }

  private async read(id: string): Promise<LiveSession> {
    await this.loadKind();
    const hold = await this.options.log.open(id);
    if (!hold.head) throw new ParleyError("session_not_found", `no session ${id}; GET /v1/sessions lists them`);
    const { state } = hold.head;
    const { turn } = state;
    const open = turn ? await readEvents(this.options.log, id, turn.seq - 1) : [];
    // An agent that is no longer configured takes no prompts, but its sessions can still be read and deleted.
    const agent = state.parent ? undefined : this.options.agents.get(state.agent);
    const { parent, root } = state;
    const notBefore = await this.newestTime(id, hold.head.last);
    const session = this.build({ id, parent, root, ledger: restore(state, open), agent, stored: hold, notBefore });
    // A turn is open in the log, and not in memory: the process or the session object that ran it is gone.
    return this.begun(session, turn ? session.recover() : undefined);
  }

  /** The time of a session's newest event, where another node may have stored it: its clock may be ahead of this one's. */
  private async newestTime(id: string, last: number): Promise<number | undefined> {
    const { log, taken } = this.options;
    if (!taken) return undefined;
    const [newest] = await log.readBack(id, { before: last + 1, limit: 1 });
    const time = newest && (JSON.parse(newest.json) as ParleyEvent).time;
    if (time !== undefined) taken(time);
    return time;
  }

  /** A session is in memory for others once its first command is stored. */
  private async begun(session: LiveSession, first: Promise<void> | undefined): Promise<LiveSession> {
    try {
      await first;
    } catch (error) {
      session.dispose();
      throw error;
    }
    this.live.set(session.id, session);
    return session;
  }

  /** Makes a session. It is in `loading` before its first event is published, so a client that uses it at once gets the same object. */
  async create(id: string, command: Create): Promise<void> {
    const make = async (): Promise<LiveSession> => {
      await this.loadKind();
      const { agent: name, directory } = command.started;
      const ledger = newLedger(name, directory, factsOf(command));
      const agent = this.options.agents.get(name);
      const session = this.build({ id, parent: undefined, root: undefined, ledger, agent, stored: { id } });
      return this.begun(session, session.begin(command));
    };
    this.loading.set(
      id,
      make().finally(() => this.loading.delete(id)),
    );
    await this.use(id, async () => {});
  }

  private async loadKind(): Promise<void> {
    this.kind ??= (await import("./live-session.ts")).LiveSession;
  }

  agent(name: string): Agent {
    const { agents } = this.options;
    const agent = agents.get(name);
    if (agent) return agent;
    const why = agents.objection?.(name);
    throw why === undefined ? unknownAgent(name, [...agents.keys()]) : new ParleyError("agent_not_found", why);
  }

  /** The agent of a name, for a session that begins with it. */
  beginning(name: string): Agent {
    const agent = this.agent(name);
    const why = this.options.agents.objection?.(name);
    if (why !== undefined) throw new ParleyError("agent_not_found", why);
    return agent;
  }

  private build(
    own: Pick<LiveOptions, "id" | "parent" | "root" | "ledger" | "agent" | "rootAgent" | "stored" | "notBefore">,
  ): LiveSession {
    if (!this.kind) throw new Error(`expected a session to be read before ${own.id} is built`);
    const { metrics, attachments, idleAgents } = this;
    const kin = this.kinOf(own);
    const session = new this.kind({ ...own, kin, gateway: this.options, metrics, attachments, idleAgents });
    this.burials.set(
      session,
      session.run().catch((error: unknown) => this.bury(session, error)),
    );
    return session;
  }

  private kinOf(own: Pick<LiveOptions, "id" | "root" | "ledger">): Kin {
    return {
      inboxOf: (child) => this.child(own, child).inbox,
      busy: () => this.below(own).some((child) => child.working),
      tell: (signal) => this.tell(own, signal),
      giveRules: (rules) => this.tellRules(own, rules),
      giveGrant: (grant) => {
        for (const child of this.below(own)) child.grant([grant]);
      },
      rest: () => {
        this.forgetIfResting(own.id);
        if (own.root !== undefined) this.live.get(own.root)?.inbox.wake();
      },
    };
  }

  /** The session of a sub-agent, made when it is first heard of. */
  private child(root: Pick<LiveOptions, "id" | "ledger">, ref: ChildRef): LiveSession {
    const siblings = this.children.get(root.id) ?? new Map<string, LiveSession>();
    this.children.set(root.id, siblings);
    const known = siblings.get(ref.id);
    if (known) return known;
    const id = this.options.id("session");
    const { directory } = root.ledger;
    const agent = ref.agent ?? root.ledger.agent;
    // Rules of a session hold for the sub-agents that work for it.
    const parent = this.parentOf(root, ref);
    const permissions = parent?.ledger.facts.permissions;
    const facts = present({ nativeId: ref.id, title: ref.title, permissions: permissions && [...permissions] });
    const data = { agent, directory, version: SCHEMA_VERSION, rootAgent: root.ledger.agent, ...facts };
    const child = this.build({
      id,
      parent: parent?.id ?? root.id,
      root: root.id,
      ledger: newLedger(agent, directory, facts),
      agent: undefined,
      rootAgent: this.live.get(root.id)?.agent,
      stored: { id, parent: parent?.id ?? root.id, root: root.id },
    });
    child.beginPatiently({ type: "create", started: data, source: "agent" });
    if (parent && parent.ledger.rules.length > 0) child.grant(parent.ledger.rules);
    siblings.set(ref.id, child);
    this.inherited.set(child, permissions ?? []);
    this.live.set(id, child);
    if (ref.call !== undefined) parent?.inbox.signal({ type: "tool.seen", call: ref.call, child: id }, undefined, 0);
    return child;
  }

  /** The session that a sub-agent works for: another sub-agent's, which may be heard of first by this, or the root. */
  private parentOf(root: Pick<LiveOptions, "id" | "ledger">, { id, parent }: ChildRef): LiveSession | undefined {
    return parent === undefined || parent === id ? this.live.get(root.id) : this.child(root, { id: parent });
  }

  /** New rules hold for the sub-agents that work already, before a sub-agent's own rules. Each passes them on. */
  private tellRules(session: Pick<LiveOptions, "id" | "root">, rules: readonly PermissionRule[]): void {
    for (const child of this.below(session).filter(({ parent }) => parent === session.id)) {
      const before = this.inherited.get(child) ?? [];
      const own = (child.ledger.facts.permissions ?? []).filter(
        (rule) => !before.some((one) => isDeepStrictEqual(one, rule)),
      );
      this.inherited.set(child, rules);
      child.update({ permissions: [...rules, ...own] }).catch((err: unknown) => {
        this.options.logger.warn({ session: child.id, err }, "a sub-agent could not be given the session's rules");
      });
    }
  }

  /** Puts a signal into the inboxes of a session's sub-agents: they die with the agent, and stop with the turn that they work for. */
  private tell(session: Pick<LiveOptions, "id" | "root">, signal: Signal): void {
    for (const child of this.below(session)) child.inbox.signal(signal, undefined, 0);
  }
}

function factsOf({
  started: { agent: _, directory: __, version: ___, rootAgent: ____, forked: _____, ...facts },
}: Create): Facts {
  return facts;
}
