/** Who is watching: clients that could answer an ask, by session or for all sessions. */
export class Attachments {
  private readonly counts = new Map<string | null, number>();
  private readonly listeners = new Set<() => void>();

  /** A client watches a session, or all of them. Returns the way to leave, which may be called twice. */
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

  /** Whether anybody watches the session, the session it belongs to, or everything. */
  watched(session: string, root: string | undefined): boolean {
    return this.counts.has(null) || this.counts.has(session) || (root !== undefined && this.counts.has(root));
  }

  /** Hears when a client leaves. */
  onDetach(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
