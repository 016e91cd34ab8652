import { useEffect, useState } from "preact/hooks";
import type { LabelledRow, UsageAnswer } from "../../../src/client/index.ts";
import { api, wordsOf } from "../../data/api.ts";
import { hrefOf } from "../../model/route.ts";
import { allTokens, costWords, dayBefore, TOKEN_KINDS, TOKEN_NAMES, tokensOf } from "../../model/usage.ts";
import { count, dollars } from "../../model/words.ts";
import { WideTable } from "../../ui/scrollable.tsx";
import { UsagePlot } from "./usage-plot.tsx";

const BY = ["day", "directory", "agent", "model", "session"] as const;
type By = (typeof BY)[number];
const SPANS = [7, 30, 90, 0] as const;

const SOURCES: Readonly<Record<string, string>> = {
  agent: "told by the agent",
  table: "computed from a table of prices",
  mixed: "partly computed, partly told, or partly unknown",
  unknown: "not known",
};

function Row({ by, row }: { by: By; row: LabelledRow }) {
  const name = row.label ?? (row.key || "not known");
  return (
    <tr>
      <th scope="row">
        {by === "session" && !row.deleted ? (
          <a href={hrefOf({ page: "session", session: row.key, tab: "transcript" })}>{name}</a>
        ) : (
          name
        )}
        {row.deleted && <span class="muted small"> deleted</span>}
      </th>
      <td>{row.turns}</td>
      {TOKEN_KINDS.map((kind) => (
        <td key={kind} title={tokensOf(row, kind).toLocaleString()}>
          {count(tokensOf(row, kind))}
        </td>
      ))}
      <td>{row.tokens.reasoning ? count(row.tokens.reasoning) : ""}</td>
      <td title={SOURCES[row.cost.source]}>{costWords(row, dollars)}</td>
    </tr>
  );
}

function Table({ answer }: { answer: UsageAnswer }) {
  const { by, rows, total, more } = answer;
  return (
    <WideTable class="wide-table" label="Usage">
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col">turns</th>
          {TOKEN_KINDS.map((kind) => (
            <th key={kind} scope="col">
              {TOKEN_NAMES[kind]}
            </th>
          ))}
          <th scope="col">of it reasoning</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {(by === "day" ? rows.toReversed() : rows).map((row) => (
          <Row key={row.key} by={by} row={row} />
        ))}
      </tbody>
      <tfoot>
        <Row by="day" row={{ ...total, key: more > 0 ? `all, with ${more} more` : "all" }} />
      </tfoot>
    </WideTable>
  );
}

/** Tokens and cost of all turns. */
export function Usage() {
  const [by, setBy] = useState<By>("day");
  const [span, setSpan] = useState<number>(30);
  const [answer, setAnswer] = useState<UsageAnswer>();
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    let over = false;
    const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
    api.usage({ by, tz, ...(span > 0 ? { from: dayBefore(new Date(), span - 1) } : {}) }).then(
      (found) => {
        if (over) return;
        setAnswer(found);
        setFailed(undefined);
      },
      (error: unknown) => {
        if (!over) setFailed(wordsOf(error));
      },
    );
    return () => {
      over = true;
    };
  }, [by, span]);
  return (
    <div class="page">
      <header>
        <h1>Usage</h1>
        <label>
          <span class="unseen">By</span>
          <select class="input" value={by} onChange={(event) => setBy(event.currentTarget.value as By)}>
            {BY.map((one) => (
              <option key={one} value={one}>
                by {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="unseen">Time</span>
          <select class="input" value={span} onChange={(event) => setSpan(Number(event.currentTarget.value))}>
            {SPANS.map((days) => (
              <option key={days} value={days}>
                {days === 0 ? "all time" : `${days} days`}
              </option>
            ))}
          </select>
        </label>
      </header>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      {answer && allTokens(answer.total) === 0 && answer.total.turns === 0 && (
        <p class="empty">No turn ended in this time.</p>
      )}
      {answer && answer.total.turns > 0 && (
        <>
          <p>
            <strong class="figure">{costWords(answer.total, dollars)}</strong>{" "}
            <span class="muted">
              {SOURCES[answer.total.cost.source]} · {count(allTokens(answer.total))} tokens · {answer.total.turns} turns
              {answer.total.cost.unknownTurns > 0 && ` · ${answer.total.cost.unknownTurns} of unknown cost`}
            </span>
          </p>
          <UsagePlot answer={answer} />
          <Table answer={answer} />
          <p class="muted small">
            Input is what no cache had. Reasoning is a part of the output. Computed costs use prices of{" "}
            {answer.prices.date}
            {answer.prices.own ? ` and your own of ${answer.prices.own}` : ""}; with a subscription they are what it
            would have cost.
          </p>
        </>
      )}
    </div>
  );
}
