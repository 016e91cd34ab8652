import type { ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import type { SessionState } from "../../../src/core/session-state.ts";
import { wordsOf } from "../../data/api.ts";
import { connection } from "../../data/connection.ts";
import { loadSession, stateOf } from "../../data/sessions.ts";
import type { OpenTranscript } from "../../data/transcripts.ts";
import type { Route } from "../../model/route.ts";
import { later } from "../../ui/later.tsx";
import { AskDock } from "./ask-dock.tsx";
import { Changes } from "./changes/changes.tsx";
import { SessionHeader } from "./header/session-header.tsx";
import { PromptBox } from "./prompt/prompt-box.tsx";
import { useTranscript } from "./transcript/nested.tsx";
import { Reader } from "./transcript/reader.tsx";

const EventsTab = later(async () => (await import("./events/events-tab.tsx")).EventsTab);
const TerminalTab = later(async () => (await import("./terminal/terminal-tab.tsx")).TerminalTab);

type SessionRoute = Route & { page: "session" };

interface BodyProps {
  route: SessionRoute;
  state: SessionState;
  open: OpenTranscript | undefined;
}

function Body({ route, state, open }: BodyProps) {
  switch (route.tab) {
    case "transcript":
      return (
        <>
          {open && <Reader open={open} directory={state.directory} seq={route.seq} />}
          <AskDock session={state.id} />
          {state.parent === undefined && <PromptBox state={state} />}
        </>
      );
    case "changes":
      return <Changes state={state} open={open} turn={route.turn} />;
    case "events":
      return <EventsTab session={state.id} seq={route.seq} />;
    case "terminal":
      return <TerminalTab session={state.id} directory={state.directory} />;
  }
}

/** One session: what was said and done in it, and the way to say more. */
export function SessionPage({ route }: { route: SessionRoute }) {
  // Its events are asked for beside its state, not after it.
  const open = useTranscript(route.session);
  const [loaded, setLoaded] = useState<ReadonlySignal<SessionState>>();
  const [missing, setMissing] = useState<string>();
  const live = connection.value.kind === "live" || connection.value.kind === "behind";
  useLayoutEffect(() => {
    let over = false;
    loadSession(route.session).then(
      (state) => {
        if (!over) setLoaded(state);
      },
      (error: unknown) => {
        if (!over) setMissing(wordsOf(error));
      },
    );
    return () => {
      over = true;
    };
  }, [route.session, live]);
  // The one that the page knows is newer than the one that was loaded first, once everything was read anew.
  const state = (stateOf(route.session) ?? loaded)?.value;
  if (!state)
    return (
      <div class="empty">
        {missing === undefined ? (
          <p>Loading…</p>
        ) : (
          <>
            <h1>This session cannot be shown</h1>
            <p>{missing}</p>
          </>
        )}
      </div>
    );
  return (
    <div class="session">
      <SessionHeader state={state} tab={route.tab} />
      <Body route={route} state={state} open={open} />
    </div>
  );
}
