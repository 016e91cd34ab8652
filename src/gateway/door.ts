import { directoryElsewhere, keptElsewhere, wrongNode } from "../core/errors.ts";

/** The process that a request belongs to: this one, or a node elsewhere. */
export type Owner = { here: true } | { here: false; node: string; address: string };

const HERE: Owner = { here: true };

/**
 * Knows where requests belong. Commands of a session go to its owner, and work in a directory to a node that has it; any process may read.
 * Both reject with `unavailable` where no node can be reached now, and `home` with `ambiguous` where several places have the directory.
 */
export interface Door {
  owner(session: string): Promise<Owner>;
  /** Without a directory: the work is done in one of this process's own place. `place`: the place that the request names. */
  home(directory: string | undefined, place?: string): Promise<Owner>;
  /**
   * The one process of a place that keeps what is in memory only, such as terminals: of the place that has a directory, or of this
   * process's own place where none is told. Rejects as `home` does.
   */
  keeper(directory: string | undefined, place?: string): Promise<Owner>;
  /** The place of this process, where there are several. */
  readonly place?: string;
}

/** The door of a process that shares its log with no other. */
export const onlyHere: Door = { owner: async () => HERE, home: async () => HERE, keeper: async () => HERE };

/** Lets a command in, or refuses it with the address of the node that would take it. */
export async function enter(door: Door, session: string): Promise<void> {
  const owner = await door.owner(session);
  if (!owner.here) throw wrongNode(session, owner.node, owner.address);
}

/** Lets work in a directory in, or refuses it with the address of a node that has the directory. */
export async function enterDirectory(door: Door, directory: string | undefined, place?: string): Promise<void> {
  const owner = await door.home(directory, place);
  if (!owner.here) throw directoryElsewhere(directory ?? "of the request", owner.node, owner.address);
}

/** Lets work in that must be done by the keeper of a directory's place, or refuses it with the keeper's address. */
export async function enterKeeper(door: Door, directory: string | undefined, place?: string): Promise<void> {
  const owner = await door.keeper(directory, place);
  if (!owner.here) throw keptElsewhere(owner.node, owner.address);
}
