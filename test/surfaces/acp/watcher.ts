import { silentLogger } from "../../../src/core/logger.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import { prime, replay } from "../../../src/surfaces/acp/session/history.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import type { Call } from "../../../src/surfaces/acp/translate/updates.ts";
import type { LogClient } from "./log-client.ts";

export const RESPONSE = "-- response --";

/** Waits until all that is in the log is told: nothing of it takes longer than some turns of the event loop. */
export async function told(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A client of the protocol that answers no ask. It notes in order what it is told. */
export class Watcher {
  readonly told: string[] = [];
  readonly calls = new Map<string, Call>();
  /** The asks that it shows, by their calls. */
  readonly shown = new Set<string>();
  readonly sessions: Sessions;

  constructor(log: LogClient, asked: (id: string) => void = () => {}) {
    const front: Front = {
      update: async (_, update) => {
        if (update.type === "text") this.told.push(update.message);
        if (update.type === "end") this.told.push(`end ${update.end.turn}`);
        if (update.type !== "call") return;
        this.told.push(`${update.id} ${update.call.status}`);
        this.calls.set(update.id, update.call);
      },
      permission: async (_, { id }, signal) => {
        asked(id);
        this.told.push(`asked ${id}`);
        this.shown.add(id);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        this.told.push(`taken ${id}`);
        this.shown.delete(id);
        return undefined;
      },
    };
    this.sessions = new Sessions({ client: async () => log.client(), version: "1", logger: silentLogger }, front);
  }

  /** Opens a session, as both versions do. */
  async open(id: string, how: "load" | "resume"): Promise<void> {
    const session = await this.sessions.attach(id, how === "load" ? replay : prime);
    this.told.push(RESPONSE);
    await session.greet();
    await told();
  }

  /** The updates after the response. */
  after(): string[] {
    return this.told.slice(this.told.lastIndexOf(RESPONSE) + 1);
  }
}
