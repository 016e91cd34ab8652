/** Counts the clients that watch, and so could answer an ask: by session, or for all sessions. */
export class Attachments {
  private readonly counts = new Map<string | null, number>();
  private readonly listeners = new Set<() => void>();

  /** Counts a client that watches a session, or all of them (null). Returns the function that it leaves by, which may be called twice. */
  attach(session: string | null): () => void {
    this.add(session, 1);
    let attached = true;
    return () => {
      if (!attached) return;
      attached = false;
      this.add(session, -1);
      for (const listener of this.listeners) listener();
    };
  }

  private add(session: string | null, change: number): void {
    const count = (this.counts.get(session) ?? 0) + change;
    if (count === 0) this.counts.delete(session);
    else this.counts.set(session, count);
  }

  /** Whether a client watches the session, its root, or all sessions. */
  watched(session: string, root: string | undefined): boolean {
    return this.counts.has(null) || this.counts.has(session) || (root !== undefined && this.counts.has(root));
  }

  /** Calls the listener when a client leaves. Returns the function that ends this. */
  onDetach(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
