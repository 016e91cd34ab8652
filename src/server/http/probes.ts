import type { ServerResponse } from "node:http";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import { METRICS_TYPE, type Metrics } from "../../core/metrics.ts";
import type { RequestContext } from "./request-context.ts";
import { sendJson, sendProblem, sendText } from "./respond.ts";

export interface ProbeOptions {
  /** Said on /health: the version and the like, nothing private. */
  about?: Readonly<Record<string, unknown>>;
  /** Resolves when the log and the disk take writes. */
  ready(): Promise<void>;
  /** Resolves when everything that is measured has a series in `metrics`. */
  measured(): Promise<void>;
  metrics: Metrics;
  now(): number;
}

/** Strangers may ask for /ready, and each check writes to the disk, so that one answer serves a second. */
const READY_FOR_MS = 1_000;

export type Probes = (response: ServerResponse, context: RequestContext) => Promise<void> | undefined;

export function createProbes(options: ProbeOptions): Probes {
  let checked: { at: number; result: Promise<ParleyError | undefined> } | undefined;

  async function check(): Promise<ParleyError | undefined> {
    try {
      await options.ready();
      return undefined;
    } catch (thrown) {
      return isParleyError(thrown) ? thrown : new ParleyError("unavailable", "the log does not answer", {}, thrown);
    }
  }

  async function ready(response: ServerResponse, context: RequestContext): Promise<void> {
    const now = options.now();
    if (!checked || now - checked.at >= READY_FOR_MS) checked = { at: now, result: check() };
    const failure = await checked.result;
    if (!failure) return sendJson(response, 200, { status: "ready" });
    const shown = context.authenticated
      ? failure
      : new ParleyError("unavailable", "not ready: ask with the token for more");
    sendProblem(response, shown, context.id);
  }

  /** Parts that cannot be loaded are told by the requests that need them: what is known of the others is shown all the same. */
  async function series(response: ServerResponse): Promise<void> {
    await options.measured().catch(() => {});
    sendText(response, 200, METRICS_TYPE, options.metrics.render());
  }

  return (response, context) => {
    const { method } = response.req;
    if (method !== "GET" && method !== "HEAD") return undefined;
    switch (context.path) {
      case "/health":
        sendJson(response, 200, { status: "ok", ...options.about });
        return Promise.resolve();
      case "/ready":
        return ready(response, context);
      case "/metrics":
        return series(response);
      default:
        return undefined;
    }
  };
}
