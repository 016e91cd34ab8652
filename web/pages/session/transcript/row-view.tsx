import type { PlanEntry } from "../../../../src/core/events/values.ts";
import { openAsks } from "../../../data/asks.ts";
import { resolutionWords } from "../../../model/ask.ts";
import type { AskResolution, Row, RowOf } from "../../../model/transcript/row.ts";
import { adviceFor } from "../../../model/words.ts";
import { AskCard } from "../../../ui/ask/ask-card.tsx";
import { memo } from "../../../ui/memo.tsx";
import { Output } from "../../../ui/output.tsx";
import { ItemView } from "./item-view.tsx";
import { ToolRow } from "./tool-row.tsx";

const MARKS: Readonly<Record<PlanEntry["status"], string>> = {
  pending: "○",
  in_progress: "◐",
  completed: "●",
  cancelled: "✕",
};

function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const done = entries.filter(({ status }) => status === "completed").length;
  return (
    <section class="plan" aria-label="Plan">
      <p class="small muted">
        Plan · {done} of {entries.length} done
      </p>
      <ul class="plain">
        {entries.map(({ text, status }, at) => (
          <li key={at} class={`plan-${status}`}>
            <span role="img" aria-label={status.replace("_", " ")}>
              {MARKS[status]}
            </span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function answersIn(resolution: AskResolution): string {
  const { answers } = resolution as { answers?: string[][] };
  return (answers ?? []).map((list) => list.join(", ")).join("; ");
}

function AskRow({ row }: { row: RowOf<"ask"> }) {
  const shown = openAsks.value.find(({ ask }) => ask.id === row.key);
  if (shown) return <AskCard shown={shown} inPlace />;
  const { request, resolution } = row;
  if (!resolution) return null;
  const data = request?.data;
  const what =
    request?.kind === "permission"
      ? (request.data.command ?? request.data.title ?? request.data.action)
      : request?.kind === "question"
        ? request.data.questions.map(({ question }) => question).join(" ")
        : "";
  const answers = answersIn(resolution);
  if (data?.settledBy === "rule" && resolution.outcome !== "reject") return null;
  return (
    <p class={`ask-over small ${resolution.outcome}`}>
      <span class="muted">{request?.kind === "question" ? "Question" : "Permission"}</span>{" "}
      <span class="mono cut">{what}</span> <span>{answers || resolutionWords(resolution)}</span>
      {resolution.feedback && <q>{resolution.feedback}</q>}
    </p>
  );
}

function ErrorRow({ row: { failure } }: { row: RowOf<"error"> }) {
  const advice = adviceFor(failure);
  return (
    <div class="notice bad" role="alert">
      <strong>{failure.message}</strong> <span class="small mono">{failure.code}</span>
      {advice && <p>{advice}</p>}
    </div>
  );
}

function Note({ row: { tone, text, detail } }: { row: RowOf<"note"> }) {
  return (
    <div class={`note small${tone === "bad" ? " bad-text" : " muted"}`}>
      {text.length > 300 || text.includes("\n") ? <Output text={text} label="Note" /> : text}
      {detail && <Output text={detail} label="Details" />}
    </div>
  );
}

function rowOf(row: Row) {
  switch (row.kind) {
    case "item":
      return row.part.item ? <ItemView part={row.part} item={row.part.item} /> : null;
    case "tool":
      return <ToolRow call={row.call} result={row.result} />;
    case "ask":
      return <AskRow row={row} />;
    case "plan":
      return <Plan entries={row.entries} />;
    case "error":
      return <ErrorRow row={row} />;
    case "summary":
      return <p class="divider small muted">The conversation was compacted: what follows stands for all above</p>;
    case "note":
      return <Note row={row} />;
  }
}

/** One row of a transcript, at its place by the number of its first event. */
export const RowView = memo(function RowView({ row }: { row: Row }) {
  const shown = rowOf(row);
  return (
    shown && (
      <div class={`row-of kind-${row.kind}`} data-at={row.at}>
        {shown}
      </div>
    )
  );
});
