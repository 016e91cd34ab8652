import type { Doomed } from "./doomed.ts";

/** Milliseconds of the machine's clock, which the database's clock is too. */
export type Time = number;

/**
 * How a call ended for its client. `failed` is a refusal (4xx). `unknown`: no answer came, or none but 503, so that it may have
 * been done.
 */
export type Outcome = "ok" | "failed" | "unknown";

/** Something that a client asked for. */
export interface Call {
  kind: "create" | "prompt" | "answer" | "cancel" | "rename" | "say";
  /** Unknown for a session that nobody answered for. */
  session?: string;
  /** The mark by which the log shows it: a title, a prompt's id, the name of the client that answers; the turn of a cancel. */
  key: string;
  outcome: Outcome;
  /** The status of the last answer. */
  status?: number;
  code?: string;
  /** The node that was asked last. */
  node: string;
  /** The number of the event that made it durable, as the receipt says. */
  seq?: number;
  from: Time;
  to: Time;
}

/** A read through one node, after a call was acknowledged by another. */
export interface Read {
  session: string;
  key: string;
  /** The node that had acknowledged. */
  wrote: string;
  /** The node that was asked. */
  node: string;
  /** Whether the answer showed it. */
  sees: boolean;
}

/** An event as a client got it. */
export interface Seen {
  session: string;
  seq: number;
  /** The bytes, as text. */
  json: string;
  /** The client that got it first. */
  client: string;
}

/** A client of the stream of all sessions, over all its connections. */
export interface Watch {
  client: string;
  /** The position after which it began. */
  after: number;
  /** In the order in which they came. */
  events: readonly { position: number; session: string; seq: number }[];
}

export interface StoredSession {
  id: string;
  /** The first number that is kept. */
  first: number;
}

export interface StoredEvent {
  session: string;
  seq: number;
  folded: number;
  json: string;
}

/** An append, in the order over all sessions. */
export interface Commit {
  position: number;
  session: string;
  from: number;
  to: number;
  epoch: number;
}

/** An append as the database saw it come. `by`: the node whose connection it came by. */
export interface Append {
  session: string;
  from: number;
  to: number;
  epoch: number;
  by: string;
  at: Time;
}

/** A change of a session's owner, oldest first. */
export interface Owning {
  session: string;
  epoch: number;
  /** The number of the start of a node. */
  node: number;
  released: boolean;
  by: string;
  at: Time;
}

/** A change of a node's row, oldest first: its registration, a renewal, its death. */
export interface NodeChange {
  node: number;
  name: string;
  dead: boolean;
  leaseUntil: Time;
  by: string;
  at: Time;
}

/** A time in which a node could do nothing for its sessions: not running, stopped, or without the database. */
export interface Down {
  node: string;
  from: Time;
  to: Time;
  why: string;
}

/** An agent that ran before its node lost its sessions. */
export interface FencedAgent {
  node: string;
  pid: number;
  session?: string;
  /** How long after the node woke it was still seen; undefined if it was gone by itself. */
  seenMs: number;
}

/** The final tables, and what the database saw on the way. */
export interface Tables {
  sessions: readonly StoredSession[];
  events: readonly StoredEvent[];
  commits: readonly Commit[];
  appends: readonly Append[];
  ownings: readonly Owning[];
  nodes: readonly NodeChange[];
  /** Appends that nobody has given a position. */
  unordered: number;
}

/** All that a run left behind. */
export interface Records {
  doomed: readonly Doomed[];
  calls: readonly Call[];
  reads: readonly Read[];
  seen: readonly Seen[];
  watches: readonly Watch[];
  downs: readonly Down[];
  agents: readonly FencedAgent[];
  /** Processes that ran on after all nodes were stopped. */
  left: readonly string[];
  /** Answers that no request may get, such as 500. */
  surprises: readonly string[];
  tables: Tables;
}

/** The times that a run is held to. */
export interface Limits {
  leaseMs: number;
  /** The longest that a turn may be open while its node is down and another is up. */
  openMs: number;
  /** The longest that an agent of a fenced node may live after the node woke. */
  agentMs: number;
}

/** Something that must not be. */
export interface Violation {
  /** The rule. */
  rule: string;
  message: string;
}
