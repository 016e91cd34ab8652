import { useState } from "preact/hooks";
import { activity, type SessionState } from "../../../../src/core/session-state.ts";
import { api } from "../../../data/api.ts";
import { asksByRoot } from "../../../data/asks.ts";
import { seenAt } from "../../../data/seen.ts";
import { needOf } from "../../../model/needs.ts";
import { hrefOf, SESSION_TABS, type SessionTab } from "../../../model/route.ts";
import { contextShare, count, dollars } from "../../../model/words.ts";
import { NeedDot, nameOf } from "../../../ui/session-link.tsx";
import { SessionMenu } from "../../../ui/session-menu.tsx";
import { takeFocus } from "../../../ui/take-focus.ts";
import { attempt } from "../../../ui/toasts.tsx";

const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  transcript: "Transcript",
  changes: "Changes",
  events: "Events",
  terminal: "Terminal",
};

const DOING = {
  idle: "idle",
  busy: "working",
  requires_action: "needs you",
  retrying: "retrying",
  compacting: "compacting",
} as const;

/** The title, which is renamed where it stands. */
function Title({ state }: { state: SessionState }) {
  const [text, setText] = useState<string>();
  if (text === undefined)
    return (
      <h1 class="cut">
        <button type="button" class="title" title="Rename" onClick={() => setText(state.title ?? "")}>
          {nameOf(state)}
        </button>
      </h1>
    );
  const save = (): void => {
    const title = text.trim();
    setText(undefined);
    if (title !== "" && title !== state.title) void attempt(() => api.session(state.id).update({ title }));
  };
  return (
    <form
      class="grow"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input
        class="input title-input"
        aria-label="Title"
        maxLength={300}
        ref={takeFocus}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Escape") setText(undefined);
        }}
      />
    </form>
  );
}

/** How full the context is, and what the session has used so far. */
function Meter({ usage }: { usage: SessionState["usage"] }) {
  const share = contextShare(usage);
  const { context, cost } = usage;
  if (!context && cost === undefined) return null;
  const percent = share === undefined ? undefined : Math.round(share * 100);
  const words = context
    ? `Context: ${count(context.used)}${context.size ? ` of ${count(context.size)} tokens` : " tokens"}`
    : "";
  return (
    <span class="row small muted nowrap" title={words}>
      {share !== undefined && <meter min={0} max={1} high={0.8} optimum={0} value={share} aria-label="Context" />}
      {percent !== undefined ? `${percent}%` : context ? `${count(context.used)} tokens` : ""}
      {cost !== undefined && ` ${dollars(cost)}`}
    </span>
  );
}

/** The session in two lines, and its tabs. */
export function SessionHeader({ state, tab }: { state: SessionState; tab: SessionTab }) {
  const [menu, setMenu] = useState(false);
  const need = needOf({ state, asks: asksByRoot.value.get(state.id) ?? 0, seen: seenAt(state.id) });
  const model = state.model;
  return (
    <header class="session-head">
      <div class="session-title">
        <NeedDot need={need} />
        <Title state={state} />
        <span class={`chip state-${need}`} role="status">
          {DOING[activity(state)]}
        </span>
        <button
          type="button"
          class="button plain compact"
          aria-haspopup="dialog"
          aria-label="More"
          onClick={() => setMenu(true)}
        >
          ⋯
        </button>
      </div>
      <div class="session-facts small muted">
        {state.parent && (
          <a href={hrefOf({ page: "session", session: state.parent, tab: "transcript" })}>‹ its parent</a>
        )}
        <span>{state.agent}</span>
        {model && <span class="cut">{model}</span>}
        {state.mode && <span>{state.mode}</span>}
        <span class="mono cut" title={state.directory}>
          {state.directory}
        </span>
        <Meter usage={state.usage} />
      </div>
      <nav class="session-tabs" aria-label="Parts of the session">
        {SESSION_TABS.map((name) => (
          <a
            key={name}
            href={hrefOf({ page: "session", session: state.id, tab: name })}
            aria-current={name === tab ? "page" : undefined}
          >
            {TAB_NAMES[name]}
            {name === "changes" && (state.files?.length ?? 0) > 0 && (
              <span class="badge quiet">{state.files?.length}</span>
            )}
          </a>
        ))}
      </nav>
      {menu && <SessionMenu state={state} onClose={() => setMenu(false)} />}
    </header>
  );
}
