import { connection } from "../data/connection.ts";

const WORDS = {
  connecting: "connecting",
  live: "live",
  reconnecting: "reconnecting",
  "signed-out": "signed out",
} as const;

/** Says whether the page shows what is true now. */
export function LinkState() {
  const now = connection.value;
  const text = now.kind === "behind" ? `behind by ${now.by}` : WORDS[now.kind];
  const title = now.kind === "reconnecting" ? now.why : undefined;
  return (
    <span class={`link-state ${now.kind}`} role="status" title={title}>
      <span aria-hidden="true">●</span>
      {text}
    </span>
  );
}
