import type { TestContext } from "node:test";
import { ParleyApiError, type ParleyClient } from "../../../src/client/index.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import type { AttachedSession } from "../../../src/surfaces/acp/session/attached.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import type { Update } from "../../../src/surfaces/acp/translate/updates.ts";
import { begun, LogClient, type Said } from "./log-client.ts";

export const ROOT = "ses_root";
export const CHILD = "ses_child";
export const DEEP = "ses_deep";
const REFUSED = "the agent was stopped; the end is stored later";

/** The log of a full disk: a cancel stops the agent of a turn, t1 unless told, and is refused. */
export class FullLog extends LogClient {
  isStopped = true;
  turn = "t1";

  override client(): ParleyClient {
    const client = super.client();
    const cancelled = async (): Promise<never> => {
      const problem = { turn: this.turn, stopped: this.isStopped };
      const facts = { status: 507, code: "disk_full", detail: REFUSED, problem, retryAfterMs: undefined };
      throw new ParleyApiError(REFUSED, facts);
    };
    const session: ParleyClient["session"] = (one) => Object.assign(client.session(one), { cancel: cancelled });
    return { ...client, session };
  }
}

export interface Shown {
  log: FullLog;
  sessions: Sessions;
  told: string[];
  /** Holds the client at updates of a kind. */
  hold: { type?: Update["type"]; until: Promise<void> };
}

function shownOf(update: Update): string {
  if (update.type === "call") return `${update.id} ${update.call.status}`;
  if (update.type === "end") return `end ${update.end.turn} ${update.end.reason}`;
  return update.type === "turn" ? `turn ${update.turn}` : update.type;
}

export function show(t: TestContext, wrap = (client: ParleyClient): ParleyClient => client): Shown {
  const log = new FullLog().begin(ROOT);
  const shown: string[] = [];
  const hold: Shown["hold"] = { until: Promise.resolve() };
  const front: Front = {
    update: async (_, update) => {
      if (update.type === hold.type) await hold.until;
      if (!["info", "text", "choice"].includes(update.type)) shown.push(shownOf(update));
    },
    permission: async (_, { id }, signal) => {
      shown.push(`asked ${id}`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    },
  };
  const client = async (): Promise<ParleyClient> => wrap(log.client());
  const sessions = new Sessions({ client, version: "1", logger: silentLogger }, front);
  t.after(() => sessions.close());
  return { log, sessions, told: shown, hold };
}

/** Holds streams back until the promise is fulfilled. */
export function heldUntil(gate: Promise<void>) {
  return (client: ParleyClient): ParleyClient => ({
    ...client,
    session: (one) => {
      const session = client.session(one);
      const hear: typeof session.hear = async (query, take) => {
        await gate;
        await session.hear(query, take);
      };
      return Object.assign(Object.create(session), { hear });
    },
  });
}

/** Gives a prompt, whose turn t1 begins in the log at once. */
export function prompted(session: AttachedSession, log: FullLog, ...more: Said[]) {
  return session.sender.send(async (id) => {
    log.say(ROOT, begun("t1", id), ...more);
    return { prompt: id, turn: "t1", status: "started", seq: 2 };
  });
}
