/** A request of a remote control to a terminal user interface. */
export interface TuiRequest {
  path: string;
  body: unknown;
}

interface Waiting {
  directory: string;
  give(request: TuiRequest): void;
}

interface Stored {
  directory: string;
  request: TuiRequest;
  until: number;
}

const MOST = 100;
/** A request that no TUI fetches in this time is dropped. */
const LIFE_MS = 30_000;

/** Requests for user interfaces that fetch them one by one. Each request goes to one interface. */
export class TuiControl {
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  #stored: Stored[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  push(directory: string, request: TuiRequest): void {
    for (const waiting of this.#waiting) {
      if (waiting.directory !== directory) continue;
      waiting.give(request);
      return;
    }
    this.#stored.push({ directory, request, until: this.#now() + LIFE_MS });
    this.#stored = this.#fresh().slice(-MOST);
  }

  /** The next request for a directory; undefined when the client that waits for it has left. */
  next(directory: string, left: AbortSignal): Promise<TuiRequest | undefined> {
    this.#stored = this.#fresh();
    const at = this.#stored.findIndex((stored) => stored.directory === directory);
    if (at >= 0) return Promise.resolve(this.#stored.splice(at, 1)[0]?.request);
    return new Promise((resolve) => {
      const end = (request?: TuiRequest): void => {
        this.#waiting.delete(waiting);
        resolve(request);
      };
      const waiting: Waiting = { directory, give: end };
      this.#waiting.add(waiting);
      left.addEventListener("abort", () => end(), { once: true });
      if (left.aborted) end();
    });
  }

  #fresh(): Stored[] {
    return this.#stored.filter(({ until }) => until > this.#now());
  }
}
