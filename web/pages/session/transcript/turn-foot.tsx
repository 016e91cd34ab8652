import { useEffect, useState } from "preact/hooks";
import type { TurnStatus } from "../../../../src/core/events/values.ts";
import { duration } from "../../../model/time.ts";
import type { Turn } from "../../../model/transcript/turn.ts";
import { END_WORDS, usageWords } from "../../../model/words.ts";
import { PlusMinus } from "../../../ui/diff-view.tsx";

/** The time, every second. */
export function useSecond(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Retrying({ status }: { status: TurnStatus & { status: "retrying" } }) {
  const now = useSecond();
  const seconds = Math.max(0, Math.ceil((status.next - now) / 1_000));
  return (
    <div class="notice need retrying" role="status">
      <span>
        <strong>Try {status.attempt} failed:</strong> {status.message}
      </span>
      <span class="nowrap">{seconds > 0 ? `Next try in ${seconds} s` : "Trying again"}</span>
    </div>
  );
}

const DOING = {
  running: "Working",
  requires_action: "Waits for an answer",
  compacting: "Compacting the conversation",
} as const;

function Running({ turn }: { turn: Turn }) {
  const now = useSecond();
  const { status } = turn;
  if (status?.status === "retrying") return <Retrying status={status as TurnStatus & { status: "retrying" }} />;
  const word = DOING[(status?.status ?? "running") as keyof typeof DOING];
  return (
    <p class="turn-foot small muted" role="status">
      <span class="dot working turning" />
      {word} · {duration(now - turn.time)}
    </p>
  );
}

/** The end of a turn: how it ended, how long it took, what it used and changed. */
export function TurnFoot({ turn }: { turn: Turn }) {
  const { end, start } = turn;
  if (!end) return <Running turn={turn} />;
  const took = end.duration ?? (turn.endTime ?? turn.time) - turn.time;
  const facts = [
    ...(start?.replayed ? ["from the agent's own memory"] : [duration(took)]),
    ...(end.usage ? usageWords(end.usage) : []),
    ...(turn.retries ? [`${turn.retries} failed ${turn.retries === 1 ? "try" : "tries"}`] : []),
    ...(start?.model ? [start.model] : []),
  ];
  const files = end.files ?? [];
  return (
    <footer class="turn-foot small muted">
      {files.length > 0 && (
        <ul class="plain turn-files">
          {files.map(({ path, additions, deletions }) => (
            <li key={path} class="row">
              <span class="mono cut">{path}</span>
              <PlusMinus additions={additions} deletions={deletions} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <span class={end.reason === "end_turn" ? undefined : end.reason === "cancelled" ? "strong" : "bad-text"}>
          {END_WORDS[end.reason] ?? end.reason}
        </span>
        {facts.map((fact) => ` · ${fact}`)}
      </p>
    </footer>
  );
}
