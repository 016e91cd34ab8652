import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "../../core/logger.ts";

/** The facts that a handler gets beside the request itself. */
export interface RequestContext {
  /** The request's id: the client's own where it sent a usable one. */
  id: string;
  /** The path without the query. */
  path: string;
  remote: string;
  /** False only for the few open paths. */
  authenticated: boolean;
  /** Another node has passed the request on: it is answered here. */
  hop?: boolean;
  /** The whole body, read and within the limit; undefined where there is none. */
  body?: Buffer;
  log: Logger;
}

/** Also finds the body in `rawBody` of the request, where @hono/node-server looks for it. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
) => void | Promise<void>;

export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: RequestContext,
) => void | Promise<void>;

const USABLE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export function requestId(given: string | undefined): string {
  return given !== undefined && USABLE_ID.test(given) ? given : `req_${randomUUID()}`;
}
