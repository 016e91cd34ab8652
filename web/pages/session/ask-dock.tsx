import { openAsks } from "../../data/asks.ts";
import { AskCard } from "../../ui/ask/ask-card.tsx";

/** The asks of a session's sub-agents, which may be folded away. */
export function AskDock({ session }: { session: string }) {
  const asks = openAsks.value.filter(({ ask, root }) => root === session && ask.session !== session);
  if (asks.length === 0) return null;
  return (
    <section class="ask-dock" aria-label="Sub-agents wait for an answer">
      {asks.map((shown) => (
        <AskCard key={shown.ask.id} shown={shown} />
      ))}
    </section>
  );
}
