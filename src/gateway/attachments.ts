/** The clients that watch sessions through other nodes. */
export interface Watches {
  /** Tells the other nodes that clients of this one watch a session, or all of them (null), from now on or no longer. */
  tell(session: string | null, watched: boolean): void;
  /** Whether a client of another node watches the session, its root, or all sessions, as far as it was heard. */
  elsewhere(session: string, root: string | undefined): boolean;
  /** Asks the other nodes once more. Rejects while they cannot be asked. */
  look(): Promise<void>;
  /** Calls the listener when a client of another node leaves. Returns the function that ends this. */
  onDetach(listener: () => void): () => void;
}

/** Counts the clients that watch, and so could answer an ask: by session, or for all sessions. */
export class Attachments {
  private readonly counts = new Map<string | null, number>();
  private readonly listeners = new Set<() => void>();
  private readonly watches: Watches | undefined;

  constructor(watches?: Watches) {
    this.watches = watches;
    watches?.onDetach(() => this.left());
  }

  /** Counts a client that watches a session, or all of them (null). Returns the function that it leaves by, which may be called twice. */
  attach(session: string | null): () => void {
    this.add(session, 1);
    let attached = true;
    return () => {
      if (!attached) return;
      attached = false;
      this.add(session, -1);
      this.left();
    };
  }

  private left(): void {
    for (const listener of this.listeners) listener();
  }

  private add(session: string | null, change: number): void {
    const before = this.counts.get(session) ?? 0;
    const count = before + change;
    if (count === 0) this.counts.delete(session);
    else this.counts.set(session, count);
    if ((count === 0) !== (before === 0)) this.watches?.tell(session, count > 0);
  }

  /** Whether a client watches the session, its root, or all sessions. */
  watched(session: string, root: string | undefined): boolean {
    const here = this.counts.has(null) || this.counts.has(session) || (root !== undefined && this.counts.has(root));
    return here || (this.watches?.elsewhere(session, root) ?? false);
  }

  /** Whether a client watches all sessions here, as interfaces for people do. */
  get hasInterface(): boolean {
    return this.counts.has(null);
  }

  /**
   * Looks for clients of other nodes, before an ask is answered because nobody watches: one that came a moment ago may not be heard of yet.
   * Undefined where there are no other nodes.
   */
  look(): Promise<void> | undefined {
    return this.watches?.look();
  }

  /** Calls the listener when a client leaves. Returns the function that ends this. */
  onDetach(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
