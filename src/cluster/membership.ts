import { messageOf, ParleyError } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";
import { failed, isOver, LEASE_MS, type Lease, mayDeclare, newLease, renewEvery, renewed } from "./lease.ts";
import type { NodeInfo } from "./node.ts";
import {
  declareDead,
  leave,
  livingNodes,
  type NewNode,
  register,
  renew,
  setAddress,
  setDraining,
} from "./node-rows.ts";
import type { Sql } from "./sql.ts";

export interface MembershipOptions extends NewNode {
  sql: Sql;
  logger: Logger;
  /** A clock that nobody sets, in milliseconds. */
  steady?: () => number;
  leaseMs?: number | undefined;
}

/** Hears of changes that concern this node's sessions. */
export interface MembershipEvents {
  /** The lease is over: others may take the sessions of this node from now on. */
  over(): void;
  /** The lease was renewed after it was over, and nobody has declared this node dead. */
  back(): void;
  /** This node was declared dead: all its rights are lost. It goes on as another node. */
  buried(): void;
  /** Other nodes are dead: their sessions need looking after. */
  died(nodes: readonly NodeInfo[]): void;
  /** After each look at the nodes. */
  looked(): void;
}

/** How long after its end another node's lease is looked at. */
const AFTER_END_MS = 50;

/** This process as one of the nodes on a database: its lease, and what it knows of the others. */
export class Membership {
  private readonly options: MembershipOptions;
  private readonly steady: () => number;
  private readonly leaseMs: number;
  private readonly renewMs: number;
  private number: number;
  private lease: Lease;
  private nodes: NodeInfo[] = [];
  private address = "";
  private draining = false;
  private frozen = false;
  private leaving = false;
  private timer: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private events: MembershipEvents | undefined;
  private lastError = "";

  private constructor(options: MembershipOptions, node: number, at: number) {
    this.options = options;
    this.steady = options.steady ?? (() => performance.now());
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.renewMs = renewEvery(this.leaseMs);
    this.number = node;
    this.lease = newLease(at, this.leaseMs);
  }

  /** Registers this start. Its lease runs from now on; `start` keeps it. */
  static async join(options: MembershipOptions): Promise<Membership> {
    const at = (options.steady ?? (() => performance.now()))();
    const node = await register(options.sql, options, options.leaseMs ?? LEASE_MS);
    const membership = new Membership(options, node, at);
    membership.nodes = await livingNodes(options.sql);
    return membership;
  }

  get node(): number {
    return this.number;
  }

  get name(): string {
    return this.options.name;
  }

  get place(): string {
    return this.options.place;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** The nodes that are not dead, this one among them, as of the last look. */
  all(): readonly NodeInfo[] {
    return this.nodes;
  }

  /** The others. */
  peers(): NodeInfo[] {
    return this.nodes.filter(({ node }) => node !== this.number);
  }

  /** The reason why this node may acknowledge nothing now: its lease is over. */
  fault(): ParleyError | undefined {
    if (!isOver(this.lease, this.steady())) return undefined;
    const why = this.lastError === "" ? "" : ` (${this.lastError})`;
    const message = `node ${this.name} could not renew its lease${why}: it stores nothing until the database answers; try again soon`;
    return new ParleyError("unavailable", message, { node: this.name });
  }

  /** Keeps the lease from now on. */
  start(events: MembershipEvents): void {
    this.events = events;
    this.renewSoon(0);
    this.watchLease();
  }

  async publish(address: string): Promise<void> {
    this.address = address;
    await setAddress(this.options.sql, this.number, address);
  }

  /** Says that this node takes no new sessions. */
  async drain(): Promise<void> {
    this.draining = true;
    await setDraining(this.options.sql, this.number);
  }

  /** Gives all sessions up at once. */
  async leave(): Promise<void> {
    this.leaving = true;
    clearTimeout(this.timer);
    clearTimeout(this.watch);
    await this.working;
    await leave(this.options.sql, this.number);
  }

  /** Looks at the nodes now, for a caller that met one that it does not know. */
  async look(): Promise<void> {
    this.nodes = await livingNodes(this.options.sql);
  }

  private renewSoon(ms: number): void {
    if (this.leaving) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.working = this.tick().finally(() => this.renewSoon(this.nextTick()));
    }, ms).unref();
  }

  /** The next renewal, or sooner the moment when another node's lease is over. */
  private nextTick(): number {
    const ends = this.peers().map(({ leaseLeftMs }) => leaseLeftMs + AFTER_END_MS);
    return Math.max(AFTER_END_MS, Math.min(this.renewMs, ...ends.filter((ms) => ms > 0)));
  }

  /** Looks at the own lease by the own clock, also while a renewal waits for an answer. */
  private watchLease(): void {
    if (this.leaving) return;
    if (!this.frozen && isOver(this.lease, this.steady())) {
      this.frozen = true;
      this.options.logger.error(
        { node: this.name },
        "the lease of this node is over: its agents are frozen until the database answers",
      );
      this.events?.over();
    }
    this.watch = setTimeout(() => this.watchLease(), this.leaseMs / 20).unref();
  }

  private async tick(): Promise<void> {
    const { sql, logger } = this.options;
    const sentAt = this.steady();
    try {
      // A renewal that is answered late is no use: the next one is sent instead.
      const alive = await renew(
        sql,
        { node: this.number, directory: this.options.directory },
        this.leaseMs,
        this.renewMs,
      );
      if (!alive) return await this.reborn();
      this.lease = renewed(this.lease, sentAt);
      this.lastError = "";
      if (this.frozen) {
        this.frozen = false;
        logger.warn({ node: this.name }, "the lease of this node is renewed: its agents go on");
        this.events?.back();
      }
      this.nodes = await livingNodes(sql);
      await this.buryOthers();
      this.events?.looked();
    } catch (error) {
      this.lease = failed(this.lease);
      this.lastError = messageOf(error);
      logger.warn({ err: error }, "the lease could not be renewed");
    }
  }

  private async buryOthers(): Promise<void> {
    if (!mayDeclare(this.lease, this.steady())) return;
    const over = this.peers().filter(({ leaseLeftMs }) => leaseLeftMs <= 0);
    if (over.length === 0) return;
    const dead = await declareDead(
      this.options.sql,
      this.number,
      over.map(({ node }) => node),
    );
    if (dead.length === 0) return;
    this.nodes = this.nodes.filter(({ node }) => !dead.some((one) => one.node === node));
    this.options.logger.warn({ nodes: dead.map(({ name }) => name) }, "declared nodes dead whose leases are over");
    this.events?.died(dead);
  }

  /** Others have declared this node dead: it drops all it had, and goes on as a new node. */
  private async reborn(): Promise<void> {
    const { sql, logger } = this.options;
    logger.error(
      { node: this.name },
      "this node was declared dead: its sessions were dropped, and it goes on as a new one",
    );
    this.events?.buried();
    const at = this.steady();
    this.number = await register(sql, this.options, this.leaseMs);
    this.lease = newLease(at, this.leaseMs);
    this.frozen = false;
    if (this.address !== "") await setAddress(sql, this.number, this.address);
    if (this.draining) await setDraining(sql, this.number);
    this.nodes = await livingNodes(sql);
    this.events?.looked();
  }
}
