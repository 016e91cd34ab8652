import { openAsks, shownAsks } from "../../data/asks.ts";
import { AskCard } from "../../ui/ask/ask-card.tsx";

/** All asks of all sessions, oldest first. */
export function AskList() {
  return shownAsks.value.map((shown) => <AskCard key={shown.ask.id} shown={shown} />);
}

/** Who needs you, and for what. */
export function Inbox() {
  const waiting = openAsks.value.length;
  return (
    <div class="page">
      <header>
        <h1>Inbox</h1>
        <span class="muted">{waiting === 0 ? "nobody waits" : waiting === 1 ? "1 waits" : `${waiting} wait`}</span>
      </header>
      {shownAsks.value.length === 0 ? (
        <div class="empty">
          <p>No agent needs you now.</p>
          <p class="small">Permissions and questions of all sessions, sub-agents too, come here, oldest first.</p>
        </div>
      ) : (
        <AskList />
      )}
    </div>
  );
}
