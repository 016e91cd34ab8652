import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../bus.ts";
import { isOpencodeProgram } from "../client-kind.ts";

/** Refusals that the terminal interface shows by itself, in the words of the answer. */
const SHOWN_BY_ITSELF: readonly RegExp[] = [/^POST \/session\/[^/]+\/message$/, /^DELETE \/session\/[^/]+$/];

/** The interface replaces one toast by the next: its own, which says only that something failed, comes first. */
const MOMENT_MS = 200;

interface Refused {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  directory: string;
  message: string;
}

/**
 * Shows a refusal in the terminal interface that asked for it. It ignores the errors of most requests, so its user would see nothing at all.
 * Programs that use the SDK get the error itself and no toast.
 */
export function showRefusal(bus: Bus, { request, response, path, directory, message }: Refused): void {
  const { method = "GET", headers } = request;
  if (method === "GET" || !isOpencodeProgram(headers["user-agent"])) return;
  if (SHOWN_BY_ITSELF.some((shown) => shown.test(`${method} ${path}`))) return;
  response.once("close", () => {
    void delay(MOMENT_MS, undefined, { ref: false }).then(() => bus.toast(directory, message, "error"));
  });
}
