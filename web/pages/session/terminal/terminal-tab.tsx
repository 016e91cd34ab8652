import { useEffect, useState } from "preact/hooks";
import type { Terminal } from "../../../../src/client/index.ts";
import { api, wordsOf } from "../../../data/api.ts";
import { BASE } from "../../../model/route.ts";
import { attempt } from "../../../ui/toasts.tsx";

/** Terminals in the session's directory, each in a document of its own: a terminal needs a policy that the page has not. */
export function TerminalTab({ session, directory }: { session: string; directory: string }) {
  const [terminals, setTerminals] = useState<readonly Terminal[]>();
  const [chosen, setChosen] = useState<string>();
  const [failed, setFailed] = useState<string>();
  async function look(): Promise<void> {
    try {
      const found = await api.terminals.list({ directory });
      setTerminals(found);
      setFailed(undefined);
    } catch (error) {
      setFailed(wordsOf(error));
    }
  }
  useEffect(() => void look(), [directory]);
  const shown = terminals?.find(({ id }) => id === chosen) ?? terminals?.at(-1);
  const open = (): Promise<boolean> =>
    attempt(async () => {
      const { id } = await api.terminals.create({ session });
      await look();
      setChosen(id);
    });
  const close = (id: string): Promise<boolean> =>
    attempt(async () => {
      await api.terminals.remove(id);
      await look();
    });
  return (
    <div class="terminals">
      <nav class="row" aria-label="Terminals">
        {terminals?.map(({ id, title, status, exitCode }) => (
          <button
            key={id}
            type="button"
            aria-current={id === shown?.id ? "true" : undefined}
            class="button compact"
            onClick={() => setChosen(id)}
          >
            {title || id}
            {status === "exited" ? ` (exit ${exitCode ?? "?"})` : ""}
          </button>
        ))}
        <button type="button" class="button compact" onClick={open}>
          New terminal
        </button>
        {shown && (
          <button type="button" class="button compact bad" onClick={() => close(shown.id)}>
            End this terminal
          </button>
        )}
      </nav>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      {terminals?.length === 0 && (
        <div class="empty">
          <p>
            A shell of yours in <code>{directory}</code>, beside the agent's work.
          </p>
        </div>
      )}
      {shown && (
        <iframe
          key={shown.id}
          title={`Terminal ${shown.title}`}
          src={`${BASE}terminal/${encodeURIComponent(shown.id)}${shown.place ? `?place=${encodeURIComponent(shown.place)}` : ""}`}
        />
      )}
    </div>
  );
}
