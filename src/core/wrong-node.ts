import { ParleyError } from "./errors.ts";

/** The refusal of a command for a session that another node owns, with the address of that node. */
export function wrongNode(session: string, node: string, address: string): ParleyError {
  const message = `session ${session} belongs to node ${node}: send commands for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}
