import { stateOf } from "../data/sessions.ts";
import { NEED_NAMES, type Need } from "../model/needs.ts";
import { hrefOf } from "../model/route.ts";

/** The name of a session for people: its title, or where it works. */
export function nameOf({ title, directory }: { title?: string; directory: string }): string {
  return title || directory.split("/").findLast((part) => part !== "") || directory;
}

export function NeedDot({ need }: { need: Need }) {
  return <span class={`dot ${need}${need === "working" ? " turning" : ""}`} role="img" aria-label={NEED_NAMES[need]} />;
}

/** A line of a list: the session, its state, and where it works. */
export function SessionLink({ id, need, current }: { id: string; need: Need; current: boolean }) {
  const state = stateOf(id)?.value;
  if (!state) return null;
  const name = nameOf(state);
  return (
    <a
      href={hrefOf({ page: "session", session: id, tab: "transcript" })}
      aria-current={current ? "page" : undefined}
      title={`${name}\n${state.directory}`}
    >
      <NeedDot need={need} />
      <span class="cut">{name}</span>
      <span class="muted small">{state.agent}</span>
    </a>
  );
}
