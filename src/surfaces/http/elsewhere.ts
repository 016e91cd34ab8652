import type { IncomingMessage } from "node:http";
import type { ParleyError } from "../../core/errors.ts";

/** Answers a request that another node takes. Resolves with an error where nothing was answered. */
export type Elsewhere = (error: ParleyError) => Promise<ParleyError | undefined>;

const takers = new WeakMap<IncomingMessage, Elsewhere>();

/** Says who answers a request that turns out to belong to another node. */
export function whenElsewhere(request: IncomingMessage, taker: Elsewhere): void {
  takers.set(request, taker);
}

/** The way to answer a request that was refused because it belongs to another node; undefined where it is answered with the refusal. */
export function elsewhereOf(request: IncomingMessage, error: ParleyError): Elsewhere | undefined {
  return error.code === "wrong_node" ? takers.get(request) : undefined;
}
