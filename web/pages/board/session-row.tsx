import { useState } from "preact/hooks";
import type { SessionState } from "../../../src/core/session-state.ts";
import { asksByRoot } from "../../data/asks.ts";
import { stateOf } from "../../data/sessions.ts";
import type { Need } from "../../model/needs.ts";
import { hrefOf } from "../../model/route.ts";
import { duration } from "../../model/time.ts";
import { Ago, clock } from "../../ui/ago.tsx";
import { memo } from "../../ui/memo.tsx";
import { NeedDot, nameOf } from "../../ui/session-link.tsx";
import { SessionMenu } from "../../ui/session-menu.tsx";

/** What the session does or did last, in a few words. */
function Doing({ state, asks }: { state: SessionState; asks: number }) {
  const { turn, queue, lastEnd, plan } = state;
  const words: string[] = [];
  if (asks > 0) words.push(asks === 1 ? "1 ask" : `${asks} asks`);
  if (turn) {
    const { status } = turn.status;
    if (status === "retrying") words.push(`retrying, try ${turn.status.attempt}`);
    else if (status === "compacting") words.push("compacting");
    words.push(`for ${duration(clock.value - turn.started)}`);
  } else if (lastEnd && lastEnd.reason !== "end_turn") words.push(lastEnd.reason.replaceAll("_", " "));
  const done = plan.filter(({ status }) => status === "completed").length;
  if (plan.length > 0) words.push(`plan ${done}/${plan.length}`);
  if (queue.length > 0) words.push(`${queue.length} queued`);
  return <span class="muted small">{words.join(" · ")}</span>;
}

/** A session on the board. What happens in one session draws its row alone. */
export const SessionRow = memo(function SessionRow({ id, need }: { id: string; need: Need }) {
  const [open, setOpen] = useState(false);
  const state = stateOf(id)?.value;
  if (!state) return null;
  return (
    <li class="session-row">
      <NeedDot need={need} />
      <a class="title cut" href={hrefOf({ page: "session", session: id, tab: "transcript" })}>
        {nameOf(state)}
      </a>
      <Doing state={state} asks={asksByRoot.value.get(id) ?? 0} />
      <span class="where cut mono muted" title={state.directory}>
        {state.directory}
      </span>
      <span class="agent cut muted small">
        {state.agent}
        {state.model ? ` · ${state.model}` : ""}
      </span>
      <Ago time={state.updated} />
      <button
        type="button"
        class="button plain compact"
        aria-label={`Actions for ${nameOf(state)}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        ⋯
      </button>
      {open && <SessionMenu state={state} onClose={() => setOpen(false)} />}
    </li>
  );
});
