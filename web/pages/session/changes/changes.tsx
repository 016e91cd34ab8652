import { useEffect, useState } from "preact/hooks";
import type { FileDiff } from "../../../../src/client/index.ts";
import { isFields, textIn } from "../../../../src/core/json/fields.ts";
import type { SessionState } from "../../../../src/core/session-state.ts";
import { api, wordsOf } from "../../../data/api.ts";
import { go } from "../../../data/navigation.ts";
import { agentInfo } from "../../../data/offers.ts";
import { revertedTurns } from "../../../data/reverted.ts";
import type { OpenTranscript } from "../../../data/transcripts.ts";
import type { Turn } from "../../../model/transcript/turn.ts";
import { DiffView, PlusMinus } from "../../../ui/diff-view.tsx";
import { attempt } from "../../../ui/toasts.tsx";

/** The changed files of a turn or of the session, read anew when something has changed. */
function useDiff(session: string, turn: string | undefined, version: number) {
  const [found, setFound] = useState<{ files?: FileDiff[]; why?: string }>({});
  useEffect(() => {
    let over = false;
    api
      .session(session)
      .diff(turn === undefined ? {} : { turn })
      .then(
        (files) => {
          if (!over) setFound({ files });
        },
        (error: unknown) => {
          if (!over) setFound({ why: wordsOf(error) });
        },
      );
    return () => {
      over = true;
    };
  }, [session, turn, version]);
  return found;
}

function promptOf(turn: Turn): string {
  for (const row of turn.rows)
    if (row.kind === "item" && row.part.item?.kind === "message" && row.part.item.role === "user")
      return row.part.item.text ?? "";
  return turn.start?.by === "agent" ? "By the agent itself" : "A prompt";
}

function TurnList({
  turns,
  chosen,
  onChoose,
}: {
  turns: readonly Turn[];
  chosen: string | undefined;
  onChoose(turn?: string): void;
}) {
  return (
    <nav class="change-turns" aria-label="Turns">
      <button type="button" aria-current={chosen === undefined ? "true" : undefined} onClick={() => onChoose()}>
        The whole session
      </button>
      {turns.map((turn) => {
        const files = turn.end?.files ?? [];
        const sum = (name: "additions" | "deletions"): number => files.reduce((total, file) => total + file[name], 0);
        return (
          <button
            key={turn.id}
            type="button"
            aria-current={chosen === turn.id ? "true" : undefined}
            onClick={() => onChoose(turn.id)}
          >
            <span class="cut">{promptOf(turn)}</span>
            <PlusMinus additions={sum("additions")} deletions={sum("deletions")} />
          </button>
        );
      })}
    </nav>
  );
}

/** What was taken back, and the way to bring it again. */
function Reverted({ state }: { state: SessionState }) {
  const count = revertedTurns(state.id).length;
  if (count === 0) return null;
  const revert = state.meta?.revert;
  const diff = isFields(revert) ? textIn(revert, "diff") : undefined;
  return (
    <section class="notice need" aria-label="What was taken back">
      <div class="row">
        <span class="grow">
          {count === 1 ? "One turn is" : `${count} turns are`} taken back, files too. The next prompt makes it final.
        </span>
        <button type="button" class="button compact" onClick={() => attempt(() => api.session(state.id).unrevert())}>
          Bring it back
        </button>
      </div>
      {diff && (
        <details>
          <summary class="small">The changes that were undone</summary>
          <pre class="small">{diff}</pre>
        </details>
      )}
    </section>
  );
}

function RevertButton({ state, turn }: { state: SessionState; turn: string }) {
  const [asking, setAsking] = useState(false);
  const [why, setWhy] = useState<string>();
  const revert = async (): Promise<void> => {
    setAsking(false);
    setWhy(undefined);
    try {
      await api.session(state.id).revert(turn);
    } catch (error) {
      setWhy(wordsOf(error));
    }
  };
  return (
    <div class="change-actions">
      {asking ? (
        <div class="notice need row">
          <span class="grow">Take back this turn and all after it, with their changes of files?</span>
          <button type="button" class="button compact bad" onClick={revert}>
            Take back
          </button>
          <button type="button" class="button compact" onClick={() => setAsking(false)}>
            Keep
          </button>
        </div>
      ) : (
        <button type="button" class="button compact" disabled={state.turn !== null} onClick={() => setAsking(true)}>
          Take back this turn…
        </button>
      )}
      {why && (
        <p class="notice bad" role="alert">
          {why}
        </p>
      )}
    </div>
  );
}

interface ChangesProps {
  state: SessionState;
  open: OpenTranscript | undefined;
  turn?: string;
}

/** What each turn, and the session as a whole, has changed. */
export function Changes({ state, open, turn }: ChangesProps) {
  const info = agentInfo(state.agent, state.directory).value;
  const back = revertedTurns(state.id);
  const turns = (open?.now.value.turns ?? []).filter(
    ({ id, end }) => !open?.now.value.cut.includes(id) && !back.includes(id) && (end?.files?.length ?? 0) > 0,
  );
  const { files, why } = useDiff(state.id, turn, state.updated);
  const choose = (id?: string): void =>
    go({ page: "session", session: state.id, tab: "changes", ...(id ? { turn: id } : {}) }, { replace: true });
  const more = open?.feed.status.value.more;
  return (
    <div class="changes">
      <div class="change-side">
        <TurnList turns={turns.toReversed()} chosen={turn} onChoose={choose} />
        {more && (
          <button type="button" class="button plain compact" onClick={() => void open?.feed.older()}>
            Older turns
          </button>
        )}
      </div>
      <div class="change-files">
        <Reverted state={state} />
        {turn !== undefined && info?.capabilities.rewind && <RevertButton key={turn} state={state} turn={turn} />}
        {why && <p class="notice bad">{why}</p>}
        {files?.length === 0 && <p class="empty">No file was changed.</p>}
        {files && files.length > 1 && (
          <ul class="plain turn-files card change-list">
            {files.map(({ path, additions, deletions }, at) => (
              <li key={`${path}:${at}`} class="row">
                <span class="mono cut grow">{path}</span>
                <PlusMinus additions={additions} deletions={deletions} />
              </li>
            ))}
          </ul>
        )}
        {files?.map((file, at) => (
          <DiffView key={`${turn ?? ""}:${file.path}:${at}`} file={file} />
        ))}
      </div>
    </div>
  );
}
