/** Something a remote control asks of a terminal user interface. */
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
/** Nobody wants to see a key pressed that was meant for a program which was not there. */
const LIFE_MS = 30_000;

/** Requests for a user interface that fetches them one by one, each of which goes to one of those that wait. */
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

  /** The next request for a directory; undefined when the one who waits for it has left. */
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
