import type { OpencodeEvent } from "../shapes/event.ts";
import type { ProjectPlace } from "../workspace/project.ts";

/** A word of one node's surface to those of all others. It may be lost, and nothing may depend on it but what clients see at once. */
export type Told =
  /** An event that belongs to no session. `tui`: only for the terminal interfaces of the directory. */
  | { kind: "event"; directory: string | null; event: OpencodeEvent; tui?: boolean }
  /** Somebody may have logged in: the agents are to be asked anew. */
  | { kind: "refresh" }
  /** The list of projects has changed. */
  | { kind: "projects" };

/** A directory as a node of its place sees it. */
export interface SeenDirectory {
  /** The path under which its sessions are stored. */
  real: string;
  project: ProjectPlace;
}

/** The nodes that share the log with this one. */
export interface Nodes {
  /** The label of the nodes that have the same directories as this one. */
  readonly place: string;
  /** The number of this node; another one after each start. */
  node(): number;
  /** Whether a node has not stopped since. */
  lives(node: number): boolean;
  /** Whether this node may work in a directory, and has it. */
  has(directory: string): Promise<boolean>;
  /** Asks the other places for a directory. Undefined where none of them has it, or none answers. */
  look(directory: string): Promise<SeenDirectory | undefined>;
  /** An entry of the table that all nodes share. */
  read(name: string): Promise<string | undefined>;
  /** Changes an entry, and resolves with it; `next` is called again where another node was quicker. */
  change(name: string, next: (before: string | undefined) => string): Promise<string>;
  tell(told: Told): void;
  /** Has the node at an address, which owns a session, delete it. */
  remove(address: string, session: string): Promise<void>;
}
