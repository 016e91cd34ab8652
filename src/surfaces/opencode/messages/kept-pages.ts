import type { SessionState } from "../../../core/session-state.ts";
import type { SessionHead } from "../../../log/contract.ts";
import type { PageQuery } from "./history.ts";

/** A page as it was answered. */
export interface KeptPage {
  /** Its JSON. */
  body: Buffer;
  /** Where the page of older messages ends; absent when there are none. */
  cursor?: string;
}

/** A page, and all that it was made of: it is true as long as none of these changed. */
interface Entry extends KeptPage {
  state: WeakRef<SessionState>;
  first: number;
  last: number;
}

/** How many bytes are kept, of all pages together and of one of them. */
const TOTAL_BYTES = 1024 * 1024;
const PAGE_BYTES = TOTAL_BYTES / 4;

function keyOf({ state }: SessionHead, { limit, before }: PageQuery): string {
  return `${state.id} ${limit ?? ""} ${before ?? ""}`;
}

/**
 * The pages that were read last: clients poll, and come back to sessions. Every event of a session makes its last number
 * another one, each pruning its first, and a log that lost its end or was written by others gives another state object: a
 * page of any other head than its own is not found. A log that makes a new state object for each reader has none.
 */
export class KeptPages {
  readonly #pages = new Map<string, Entry>();
  #bytes = 0;

  find(head: SessionHead, query: PageQuery): KeptPage | undefined {
    const key = keyOf(head, query);
    const entry = this.#pages.get(key);
    if (!entry) return undefined;
    this.#drop(key, entry);
    const { state, first, last } = entry;
    if (state.deref() !== head.state || first !== head.first || last !== head.last) return undefined;
    this.#add(key, entry);
    return entry;
  }

  put(head: SessionHead, query: PageQuery, page: KeptPage): void {
    if (page.body.length > PAGE_BYTES) return;
    const key = keyOf(head, query);
    const known = this.#pages.get(key);
    if (known) this.#drop(key, known);
    const { state, first, last } = head;
    this.#add(key, { ...page, state: new WeakRef(state), first, last });
    for (const [oldest, entry] of this.#pages) {
      if (this.#bytes <= TOTAL_BYTES) return;
      this.#drop(oldest, entry);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#pages.set(key, entry);
    this.#bytes += entry.body.length;
  }

  #drop(key: string, { body }: Entry): void {
    this.#pages.delete(key);
    this.#bytes -= body.length;
  }
}
