import { setTimeout as delay } from "node:timers/promises";
import { reasonOf } from "../../client/errors.ts";
import { ParleyConnectionError } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import { FewAtOnce } from "../../core/few-at-once.ts";
import { type FoundServer, findServer } from "../access/find-server.ts";
import { isLeaving, wasNotSent } from "../access/leaving.ts";
import type { OwnServer } from "../access/own-server.ts";
import type { Settings } from "../config/settings.ts";
import { tell } from "../tell.ts";

export interface LinkOptions {
  settings: Settings;
  /** Starts a server in this process. */
  start(): Promise<OwnServer>;
  times?: Partial<LinkTimes>;
}

export interface LinkTimes {
  /** A server that went away may be about to be started again: one of our own would be in its way. */
  restartMs: number;
  /** How long a request looks for a server that takes it: a server that leaves has ten seconds for that. */
  patienceMs: number;
  lookMs: number;
  /** How long it may take to close. */
  closeMs: number;
}

const TIMES: LinkTimes = { restartMs: 2_000, patienceMs: 20_000, lookMs: 50, closeMs: 5_000 };

/** Where the server was that a client is done with. Unknown: none was found, or the last one is lost. */
export type Left = { where: "here" | "unknown" } | { where: "elsewhere"; url: string };

/** More requests wait until a server has answered others: all at once would get no answer in time. */
const MOST_ASKED = 32;

/** The server of the data directory, whichever process runs it at the moment: another one, or, where none does, this one. */
export class ServerLink {
  readonly #options: LinkOptions;
  readonly #times: LinkTimes;
  readonly #few = new FewAtOnce(MOST_ASKED);
  readonly #left = new AbortController();
  /** The search for a server, or the one that it found. */
  #current: Promise<FoundServer> | undefined;
  #found: FoundServer | undefined;
  #own: OwnServer | undefined;
  /** A server of another process was lost, and no other is known yet. */
  #lost = false;
  #toldToken = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
  }

  /** Finds the server, or starts one, ahead of the first request. A failure is told by the request that meets it again. */
  async warm(): Promise<void> {
    await this.#server().catch(() => {});
  }

  /** Sends a request of a client to the server. Where that is gone, the next one gets it, unless the request may have arrived. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => this.#few.do(() => this.#fetch(url, init));

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const until = performance.now() + this.#times.patienceMs;
    for (;;) {
      const server = await this.#server();
      let refusal: unknown;
      try {
        const send = server.fetch ?? fetch;
        const response = await send(addressed(url, server), this.#sent(init, server));
        const leaving = await isLeaving(response);
        if (response.status === 401) this.#tellToken();
        if (!leaving.yes) return leaving.response;
        refusal = new ParleyConnectionError(`the server at ${server.url} is shutting down`);
      } catch (thrown) {
        // The client is gone, not the server.
        if (this.#left.signal.aborted) throw thrown;
        if (!wasNotSent(thrown)) {
          this.#forget(server);
          throw unanswered(server, thrown);
        }
        refusal = thrown;
      }
      this.#forget(server);
      if (performance.now() > until) throw refusal;
      await delay(this.#times.lookMs, undefined, { signal: init.signal ?? undefined });
    }
  }

  /**
   * Ends a server of our own: when others are done with it, or `hurry` is aborted. A client that is still there then hears how its turns end. Turns go on in a
   * server of another process.
   */
  async close(hurry: AbortSignal): Promise<Left> {
    if (!(hurry.aborted && this.#found)) this.leave();
    const { closeMs } = this.#times;
    await Promise.race([this.#current?.catch(() => {}), delay(closeMs)]);
    const own = this.#own;
    if (!own) return this.#found ? { where: "elsewhere", url: this.#found.url } : { where: "unknown" };
    if (!hurry.aborted) {
      const { othersDone } = await import("../access/own-server.ts");
      const waiting = (): void => tell("others use the server in here: it ends with the last of them, or by a signal");
      await othersDone(own.parley, {}, waiting, hurry);
    }
    await Promise.race([own.close(), delay(closeMs)]);
    // Nothing may be left behind, however long the rest would take.
    own.parley.abandon();
    return { where: "here" };
  }

  /** Ends every request that is under way, and takes no more. */
  leave(): void {
    this.#left.abort(new ParleyConnectionError("the client is gone"));
  }

  /** The server is one of our own, which ends with us. */
  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  #tellToken(): void {
    if (this.#toldToken) return;
    this.#toldToken = true;
    tell("the running server does not accept the token: it was started with another one; give that as PARLEY_TOKEN");
  }

  #sent(init: RequestInit, { token }: FoundServer): RequestInit {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const signal = init.signal ? AbortSignal.any([init.signal, this.#left.signal]) : this.#left.signal;
    return { ...init, headers, signal };
  }

  #forget(server: FoundServer): void {
    if (server === this.#own || server !== this.#found) return;
    this.#current = undefined;
    this.#found = undefined;
    this.#lost = true;
  }

  #server(): Promise<FoundServer> {
    this.#left.signal.throwIfAborted();
    this.#current ??= this.#find().catch((thrown: unknown) => {
      this.#current = undefined;
      throw thrown instanceof ParleyConnectionError ? thrown : new ParleyConnectionError(messageOf(thrown), thrown);
    });
    return this.#current;
  }

  async #find(): Promise<FoundServer> {
    if (this.#lost) await this.#awaitRestart();
    this.#left.signal.throwIfAborted();
    const { settings } = this.#options;
    this.#found = (await findServer(settings)) ?? (await this.#start());
    this.#lost = false;
    return this.#found;
  }

  /** The code of a server is loaded only where one must be started. */
  async #start(): Promise<FoundServer> {
    const { useServer } = await import("../access/use-server.ts");
    const { settings, start } = this.#options;
    return useServer(settings, start, async (found, own) => {
      this.#own = own;
      return own ?? found;
    });
  }

  async #awaitRestart(): Promise<void> {
    const { restartMs, lookMs } = this.#times;
    const until = performance.now() + restartMs;
    while (performance.now() < until && !this.#left.signal.aborted && !(await findServer(this.#options.settings))) {
      await delay(lookMs);
    }
  }
}

function addressed(url: string, server: FoundServer): string {
  const { pathname, search } = new URL(url);
  return new URL(`${pathname}${search}`, server.url).href;
}

/** The client itself would name an address that is no server's. */
function unanswered({ url, pid }: FoundServer, thrown: unknown): ParleyConnectionError {
  if (thrown instanceof ParleyConnectionError) return thrown;
  const why = reasonOf(thrown);
  return new ParleyConnectionError(
    `the server at ${url} (process ${pid}) gave no answer (${why}): if it hangs, end it`,
    thrown,
  );
}
