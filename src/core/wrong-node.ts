import { ParleyError } from "./errors.ts";

/** The refusal of a command for a session that another node owns, with the address of that node. */
export function wrongNode(session: string, node: string, address: string): ParleyError {
  const message = `session ${session} belongs to node ${node}: send commands for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}

/** The refusal of work in a directory that only other nodes have, with the address of one of them. */
export function directoryElsewhere(directory: string, node: string, address: string): ParleyError {
  const message = `the directory ${directory} belongs to node ${node}: send requests for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}

/** The refusal of a request about what only one node of a place keeps in memory, with the address of that node. */
export function keptElsewhere(node: string, address: string): ParleyError {
  const message = `node ${node} keeps this for its place: send requests for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}
