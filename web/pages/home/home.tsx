import { shownAsks } from "../../data/asks.ts";
import { Foot } from "../../ui/foot.tsx";
import { Board } from "../board/board.tsx";
import { AskList } from "../inbox/inbox.tsx";

/** Who needs you first, then all sessions. */
export function Home() {
  return (
    <div class="page">
      <h1 class="unseen">Sessions</h1>
      {shownAsks.value.length > 0 && (
        <section class="asks" aria-label="Who needs you">
          <AskList />
        </section>
      )}
      <Board />
      <div class="only-small">
        <Foot />
      </div>
    </div>
  );
}
