import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { eventFits } from "../../../model/event-line.ts";
import { EventRow } from "./event-row.tsx";
import { LawCheck } from "./law-check.tsx";
import { openRawEvents } from "./raw-events.ts";

/** The inspector: events as they are stored, beside the agent's own lines. */
export function EventsTab({ session, seq }: { session: string; seq?: number }) {
  const raw = useMemo(() => openRawEvents(session), [session]);
  useEffect(() => () => raw[Symbol.dispose](), [raw]);
  const filter = useSignal("");
  const [deltas, setDeltas] = useState(false);
  const { events, more, loading, failed } = raw.now.value;
  useEffect(() => {
    if (seq === undefined) return;
    let over = false;
    void raw.reach(seq).then(() => {
      if (!over) document.getElementById(`event-${seq}`)?.scrollIntoView({ block: "center" });
    });
    return () => {
      over = true;
    };
  }, [raw, seq]);
  const shown = events.filter(
    (event) => (deltas || event.type !== "item.delta" || event.seq === seq) && eventFits(event, filter.value),
  );
  return (
    <div class="page inspector">
      <div class="row">
        <label class="field grow">
          <span class="unseen">Filter events</span>
          <input
            class="input"
            type="search"
            placeholder="Filter: words of a type, a number or the data"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="row small">
          <input type="checkbox" checked={deltas} onChange={(event) => setDeltas(event.currentTarget.checked)} />
          deltas
        </label>
        <LawCheck session={session} />
      </div>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      {more && (
        <button type="button" class="button compact" disabled={loading} onClick={() => raw.older()}>
          Older events
        </button>
      )}
      <ol class="plain event-list" aria-label="Events">
        {shown.map((event) => (
          <EventRow key={event.seq} event={event} marked={event.seq === seq} />
        ))}
      </ol>
      {shown.length === 0 && !loading && (
        <p class="empty">{events.length === 0 ? "There are no events." : "No event that was read fits this filter."}</p>
      )}
    </div>
  );
}
