import { useState } from "preact/hooks";
import type { SessionState } from "../../src/core/session-state.ts";
import { api } from "../data/api.ts";
import { go } from "../data/navigation.ts";
import { markUnread } from "../data/seen.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { nameOf } from "./session-link.tsx";
import { attempt, say } from "./toasts.tsx";

interface Props {
  state: SessionState;
  onClose(): void;
}

/** What can be done with a session as a whole: rename, stop, fork, delete. */
export function SessionMenu({ state, onClose }: Props) {
  const [title, setTitle] = useState(state.title ?? "");
  const [deleting, setDeleting] = useState(false);
  const handle = api.session(state.id);
  const act = async (work: () => Promise<unknown>, done?: string): Promise<void> => {
    if (!(await attempt(work))) return;
    if (done) say(done);
    onClose();
  };
  const rename = (event: Event): void => {
    event.preventDefault();
    void act(() => handle.update({ title: title.trim() }));
  };
  const fork = (): Promise<void> =>
    act(async () => {
      const { id } = await handle.fork();
      go({ page: "session", session: id, tab: "transcript" });
    });
  return (
    <Dialog title={nameOf(state)} onClose={onClose}>
      <form class="row" onSubmit={rename}>
        <label class="field grow">
          <span>Title</span>
          <input class="input" value={title} maxLength={300} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
        <button type="submit" class="button" disabled={title.trim() === "" || title.trim() === state.title}>
          Rename
        </button>
      </form>
      <div class="menu">
        {state.turn && (
          <button type="button" class="button" onClick={() => act(() => handle.cancel(), "Stopped.")}>
            Stop
          </button>
        )}
        <button type="button" class="button" onClick={fork}>
          Fork
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            markUnread(state.id);
            onClose();
          }}
        >
          Mark as unread
        </button>
        <CopyButton text={state.id} label="Copy the id" />
        {deleting ? (
          <div class="notice bad row">
            <span class="grow">Delete the session and all of its events? Files stay as they are.</span>
            <button type="button" class="button bad" onClick={() => act(() => handle.delete(), "Deleted.")}>
              Delete
            </button>
            <button type="button" class="button" onClick={() => setDeleting(false)}>
              Keep
            </button>
          </div>
        ) : (
          <button type="button" class="button bad" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
      </div>
    </Dialog>
  );
}
