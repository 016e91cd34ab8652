import { wrongNode } from "../core/wrong-node.ts";

/** The process that owns a session: this one, or a node elsewhere. */
export type Owner = { here: true } | { here: false; node: string; address: string };

/** Knows the owner of each session. Commands go to the owner; any process may read. */
export interface Door {
  owner(session: string): Owner;
}

/** The door of a process that shares its log with no other. */
export const onlyHere: Door = { owner: () => ({ here: true }) };

/** Lets a command in, or refuses it with the address of the node that would take it. */
export function enter(door: Door, session: string): void {
  const owner = door.owner(session);
  if (owner.here) return;
  throw wrongNode(session, owner.node, owner.address);
}
