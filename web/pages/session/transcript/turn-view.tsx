import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Row } from "../../../model/transcript/row.ts";
import type { Turn } from "../../../model/transcript/turn.ts";
import { memo } from "../../../ui/memo.tsx";
import { isFolded, toggleFold } from "./folds.ts";
import { RowView } from "./row-view.tsx";
import { TurnFoot } from "./turn-foot.tsx";

/** So many rows are drawn, and left out of sight, together. */
const BLOCK = 40;

/** A few rows of a turn. A turn of thousands of rows costs only those that change. */
const RowBlock = memo(
  function RowBlock({ rows }: { rows: readonly Row[] }) {
    return (
      <div class="rows">
        {rows.map((row) => (
          <RowView key={row.key} row={row} />
        ))}
      </div>
    );
  },
  (before, after) => before.rows.length === after.rows.length && before.rows.every((row, at) => row === after.rows[at]),
);

/** The rows in blocks that stay the same when older rows come before them: they are counted from a row that was known first. */
function useBlocks(rows: readonly Row[]): { key: number; rows: readonly Row[] }[] {
  const known = useRef<string | undefined>(undefined);
  let at = rows.findIndex(({ key }) => key === known.current);
  if (at < 0) {
    known.current = rows[0]?.key;
    at = 0;
  }
  const blocks: { key: number; rows: readonly Row[] }[] = [];
  for (let from = -Math.ceil(at / BLOCK); at + from * BLOCK < rows.length; from++)
    blocks.push({ key: from, rows: rows.slice(Math.max(0, at + from * BLOCK), Math.max(0, at + (from + 1) * BLOCK)) });
  return blocks;
}

function isPrompt(row: Row): boolean {
  return row.kind === "item" && row.part.item?.kind === "message" && row.part.item.role === "user";
}

/** A turn: the prompt, all that came of it, and how it ended. */
export function TurnView({ turn, taken }: { turn: Turn; taken: boolean }) {
  const opened = useSignal(false);
  const folded = isFolded(turn.id) || (taken && !opened.value);
  const rows = folded ? turn.rows.filter(isPrompt) : turn.rows;
  const blocks = useBlocks(rows);
  return (
    <article
      class={`turn${taken ? " taken" : ""}${turn.end ? " over" : ""}${folded ? " folded" : ""}`}
      data-turn={turn.id}
      data-at={turn.at}
      aria-label={taken ? "Turn that was taken back" : "Turn"}
      tabIndex={-1}
    >
      {taken && (
        <p class="small muted row">
          <span>This turn was taken back.</span>
          <button type="button" class="button plain compact" onClick={() => (opened.value = !opened.value)}>
            {opened.value ? "Hide it" : "Show it"}
          </button>
        </p>
      )}
      {blocks.map((block) => (
        <RowBlock key={block.key} rows={block.rows} />
      ))}
      {folded && !taken && (
        <button type="button" class="button plain compact" onClick={() => toggleFold(turn.id)}>
          {turn.rows.length - rows.length} more
        </button>
      )}
      <TurnFoot turn={turn} />
    </article>
  );
}
