import { type ErrorCode, isParleyError, type ParleyError } from "../core/errors.ts";
import { beginsTurn } from "../core/session-state.ts";
import { forgetStrays } from "./mcp-servers.ts";
import type { GatewayOptions } from "./options.ts";
import type { LiveSessions } from "./session/live-sessions.ts";

/** Refusals by which a session is somebody else's now, or nobody's. */
const TAKEN: ReadonlySet<ErrorCode> = new Set(["wrong_node", "fenced", "session_not_found"]);

/** The sessions that this process holds, and those that it looks after because their process is gone. */
export class Tenure {
  private readonly options: GatewayOptions;
  private readonly sessions: LiveSessions;
  private readonly assertOpen: () => void;
  private waiting: string[] = [];

  /** `assertOpen` throws once this process takes no more work. */
  constructor(options: GatewayOptions, sessions: LiveSessions, assertOpen: () => void) {
    this.options = options;
    this.sessions = sessions;
    this.assertOpen = assertOpen;
  }

  /** Closes the turns that a crash left open, before the port opens. Returns how many. */
  async recover(): Promise<number> {
    const { log } = this.options;
    const unsettled = await log.unsettled(log.owner);
    const open = unsettled.filter((session) => session.turn !== null);
    await Promise.all(open.map(({ id }) => this.unlessTaken(() => this.closeTurn(id))));
    await forgetStrays(this.options);
    this.waiting = unsettled.filter((session) => session.queue.some(beginsTurn)).map((session) => session.id);
    return open.length;
  }

  /** Prompts that were accepted before a restart run now. */
  async resumeQueues(): Promise<void> {
    for (const id of this.waiting.splice(0)) await this.unlessTaken(() => this.goOn(id));
  }

  /** Closes the turn of a session whose writer died: a session whose turn is open in the log closes it when it is loaded. */
  async closeTurn(id: string): Promise<void> {
    await this.sessions.use(id, async () => {});
  }

  /** Prompts of a session that were accepted by a process that is gone run now. */
  async goOn(id: string): Promise<void> {
    this.assertOpen();
    await this.sessions.use(id, (session) => session.next());
  }

  /** The right to all sessions of this process is lost: ends their agents, and stores nothing more for them. */
  fence(error: ParleyError): void {
    this.sessions.fence(error);
  }

  /** Whether a session is in memory here: this process holds it. */
  holds(id: string): boolean {
    return this.sessions.find(id) !== undefined;
  }

  /** How many sessions are in memory, and how many of them have a turn that is open. */
  get load(): { sessions: number; turns: number } {
    const all = this.sessions.all();
    return { sessions: all.length, turns: all.filter(({ turn }) => turn !== undefined).length };
  }

  /** Lets go of the agents of idle sessions, so that other processes may take these. */
  async letGo(): Promise<void> {
    const idle = this.sessions.all().filter((session) => session.root === undefined && !session.working);
    await Promise.allSettled(idle.map((session) => this.sessions.use(session.id, () => session.close("closed"))));
  }

  /** Looks after a session of an earlier start, which another node may have taken meanwhile: then that one does. */
  private async unlessTaken(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isParleyError(error) || !TAKEN.has(error.code)) throw error;
    }
  }
}
