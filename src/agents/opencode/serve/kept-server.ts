import type { Lease, RunningServer } from "./contract.ts";
import { askHealth, type WatchTimes, watchHealth } from "./health.ts";

const GRACE_MS = 2_000;
const LOOK_MS = 60_000;
const ANSWER_MS = 15_000;
const FRESH_MS = 1_000;

export interface KeepTimes {
  /** How long a server without leases is kept; 0 for ever. */
  idleMs: number;
  /** How long it is kept at most where nobody but a look has used it. */
  lookMs?: number;
  /** How long a server that nobody watched may take to answer before it is leased again. */
  answerMs?: number;
  /** A server that has answered so shortly ago is leased without a question. */
  freshMs?: number;
  watch?: WatchTimes;
}

/** A server that has just answered, with its leases: it is watched while it has some, and ended when it had none for a while. */
export class KeptServer {
  readonly server: RunningServer;
  readonly #times: KeepTimes;
  #leases = 0;
  /** A session has used it: it was not started for a look alone. */
  #used = false;
  #idle: NodeJS.Timeout | undefined;
  #stopWatch: (() => void) | undefined;
  #answeredAt = performance.now();
  /** It is gone, or about to be: nobody else may have it. */
  #over = false;

  constructor(server: RunningServer, times: KeepTimes) {
    this.#times = times;
    this.server = { ...server, kill: (graceMs) => this.end(graceMs) };
    this.#end = (graceMs) => server.kill(graceMs);
    void server.gone.then(() => this.#leave());
  }

  readonly #end: (graceMs: number) => Promise<void>;

  /** Whether it can be leased. One that hung while nobody used it is ended. */
  async answers(): Promise<boolean> {
    if (this.#over) return false;
    const { answerMs = ANSWER_MS, freshMs = FRESH_MS } = this.#times;
    if (this.#leases > 0 || performance.now() - this.#answeredAt < freshMs) return true;
    const limit = AbortSignal.timeout(answerMs);
    const health = await askHealth(this.server, limit).catch(() => undefined);
    if (health) this.#answeredAt = performance.now();
    else await this.end(GRACE_MS);
    return !this.#over;
  }

  lease(forSession: boolean): Lease {
    this.#leases++;
    this.#used ||= forSession;
    clearTimeout(this.#idle);
    if (!this.#over) this.#stopWatch ??= watchHealth(this.server, () => void this.end(GRACE_MS), this.#times.watch);
    let released = false;
    return {
      server: this.server,
      release: () => {
        if (released) return;
        released = true;
        this.#leases--;
        if (this.#leases === 0 && !this.#over) this.#rest();
      },
    };
  }

  async end(graceMs: number): Promise<void> {
    this.#leave();
    await this.#end(graceMs);
  }

  #rest(): void {
    this.#stopWatch?.();
    this.#stopWatch = undefined;
    const { idleMs, lookMs = LOOK_MS } = this.#times;
    const ms = this.#used ? idleMs : Math.min(idleMs || lookMs, lookMs);
    if (ms > 0) this.#idle = setTimeout(() => void this.end(GRACE_MS), ms).unref();
  }

  #leave(): void {
    this.#over = true;
    clearTimeout(this.#idle);
    this.#stopWatch?.();
    this.#stopWatch = undefined;
  }
}
