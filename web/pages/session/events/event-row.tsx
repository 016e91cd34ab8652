import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { curlFor, eventLine } from "../../../model/event-line.ts";
import { hrefOf } from "../../../model/route.ts";
import { copy } from "../../../ui/copy.ts";
import { Scrollable } from "../../../ui/scrollable.tsx";

function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 23);
}

/** The agent's own line: JSON where it is, else as it is. */
function nativeText(native: unknown): string {
  if (typeof native !== "string") return JSON.stringify(native, null, 2);
  try {
    return JSON.stringify(JSON.parse(native), null, 2);
  } catch {
    return native;
  }
}

function Details({ event }: { event: ParleyEvent }) {
  const { native, ...plain } = event;
  const { session, seq } = event;
  const link = new URL(hrefOf({ page: "session", session, tab: "events", seq }), location.href).href;
  return (
    <div class="event-details">
      <div class="row">
        <button type="button" class="button compact" onClick={() => copy(link, "The link")}>
          Copy link
        </button>
        <button
          type="button"
          class="button compact"
          onClick={() => copy(curlFor(location.origin, session, seq), "The command")}
        >
          Copy as curl
        </button>
        <button type="button" class="button compact" onClick={() => copy(JSON.stringify(plain), "The event")}>
          Copy JSON
        </button>
      </div>
      <div class="beside">
        <Scrollable label="Event" class="command">
          {JSON.stringify(plain, null, 2)}
        </Scrollable>
        {native === undefined ? (
          <p class="muted small">No line of the agent is kept for it: Parley made it, or lines are not kept here.</p>
        ) : (
          <Scrollable label="The agent's own line" class="command">
            {nativeText(native)}
          </Scrollable>
        )}
      </div>
    </div>
  );
}

/** An event in the list. */
export const EventRow = memo(function EventRow({ event, marked }: { event: ParleyEvent; marked: boolean }) {
  const [open, setOpen] = useState(marked);
  const { seq, type, time, folded, source } = event;
  return (
    <li class={`event-row${marked ? " marked" : ""}`} id={`event-${seq}`}>
      <button type="button" class="event-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="seq">#{seq}</span>
        <time dateTime={new Date(time).toISOString()}>{clockTime(time)}</time>
        <span class={`type ${source}`}>{type}</span>
        <span class="cut muted">{eventLine(event)}</span>
        {folded !== undefined && folded > 0 && <span class="chip">{folded} folded</span>}
      </button>
      {open && <Details event={event} />}
    </li>
  );
});
