import { type ReadonlySignal, useComputed } from "@preact/signals";
import { useContext, useMemo } from "preact/hooks";
import type { FeedStatus } from "../../../data/feed.ts";
import { revertedTurns } from "../../../data/reverted.ts";
import { type Section, sectionsOf, type Transcript } from "../../../model/transcript/transcript.ts";
import type { Turn } from "../../../model/transcript/turn.ts";
import { memo } from "../../../ui/memo.tsx";
import { ShownSession } from "../context.ts";
import { RowView } from "./row-view.tsx";
import { TurnView } from "./turn-view.tsx";

const LooseRows = memo(
  function LooseRows({ rows }: { rows: (Section & { kind: "loose" })["rows"] }) {
    return (
      <div class="loose">
        {rows.map((row) => (
          <RowView key={row.key} row={row} />
        ))}
      </div>
    );
  },
  (before, after) => before.rows.length === after.rows.length && before.rows.every((row, at) => row === after.rows[at]),
);

const OneTurn = memo(function OneTurn({ turn, taken }: { turn: Turn; taken: boolean }) {
  return <TurnView turn={turn} taken={taken} />;
});

/** All that was read of a session, oldest first. */
export function TranscriptView({ now }: { now: ReadonlySignal<Transcript> }) {
  const { session } = useContext(ShownSession);
  const back = useComputed(() => revertedTurns(session));
  const sections = useMemo(() => sectionsOf(now.value, back.value), [now.value, back.value]);
  return (
    <>
      {sections.map((section) =>
        section.kind === "turn" ? (
          <OneTurn key={section.turn.id} turn={section.turn} taken={section.taken} />
        ) : (
          <LooseRows key={`loose:${section.rows[0]?.key}`} rows={section.rows} />
        ),
      )}
    </>
  );
}

/** What stands above the oldest event that was read. */
export function TranscriptTop({ status, onOlder }: { status: FeedStatus; onOlder(): void }) {
  if (status.state === "failed")
    return (
      <div class="notice bad row">
        <span class="grow">The events could not be read: {status.why}</span>
        <button type="button" class="button compact" onClick={onOlder}>
          Try again
        </button>
      </div>
    );
  if (status.state === "loading") return <p class="muted small center">Loading…</p>;
  if (!status.more) return null;
  return (
    <button type="button" class="button plain compact center" onClick={onOlder}>
      Show what came before
    </button>
  );
}
