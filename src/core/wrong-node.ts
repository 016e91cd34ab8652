import { ParleyError } from "./errors.ts";

/** The refusal of a command that another node takes. The server passes the request on to that node. */
export function wrongNode(what: string, { node, address }: { node: string; address: string }): ParleyError {
  const message = `${what} belongs to node ${node}: send commands for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}
