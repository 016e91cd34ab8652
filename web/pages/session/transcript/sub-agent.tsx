import { useContext, useEffect, useState } from "preact/hooks";
import { asksByRoot } from "../../../data/asks.ts";
import { loadSession, stateOf } from "../../../data/sessions.ts";
import { ShownSession } from "../context.ts";

/** The session of a sub-agent, inside the call that began it: folded at first, live once it is open. */
export function SubAgent({ id }: { id: string }) {
  const { Nested, ...outer } = useContext(ShownSession);
  const [open, setOpen] = useState(false);
  const [, redraw] = useState(0);
  useEffect(() => {
    void loadSession(id).then(
      () => redraw((times) => times + 1),
      () => {},
    );
  }, [id]);
  const state = stateOf(id)?.value;
  const waits = (state?.asks.length ?? 0) > 0 && asksByRoot.value.size > 0;
  return (
    <section class="sub-agent">
      <button type="button" class="fold tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class={`dot ${waits ? "needs-you" : state?.turn ? "working turning" : "idle"}`} />
        <span class="tool-label">Its session</span>
        <span class="name cut">{state?.title ?? id}</span>
        <span class="small muted nowrap">{waits ? "waits for an answer" : state?.turn ? "works" : "done"}</span>
      </button>
      {open && (
        <div class="sub-agent-body">
          <ShownSession.Provider value={{ session: id, directory: state?.directory ?? outer.directory, Nested }}>
            <Nested id={id} />
          </ShownSession.Provider>
        </div>
      )}
    </section>
  );
}
