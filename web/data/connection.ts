import { signal } from "@preact/signals";

/** How the page stands to the server. */
export type Connection =
  | { kind: "connecting" }
  | { kind: "live" }
  /** Connected, with so many events still to come or to be shown. */
  | { kind: "behind"; by: number }
  | { kind: "reconnecting"; why: string; nextTry: number }
  | { kind: "signed-out" };

export const connection = signal<Connection>({ kind: "connecting" });
