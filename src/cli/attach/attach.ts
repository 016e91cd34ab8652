import type { ParleyClient, StreamEvent } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import { findSession, withStore } from "../access/open-store.ts";
import type { FoundSession, Store } from "../access/store.ts";
import { configure } from "../context.ts";
import { EXIT, EXIT_CTRL_C, usageError } from "../exit.ts";
import { safeLine } from "../output/safe-text.ts";
import { painter } from "../output/terminal.ts";
import { askMode } from "../run/ask-policy.ts";
import { Asks } from "../run/asks.ts";
import { Interrupts } from "../run/interrupts.ts";
import { personAt } from "../run/lines.ts";
import { View } from "../run/view.ts";
import { SessionView } from "./session-view.ts";

export interface AttachFlags {
  dataDir?: string;
  tail: number;
}

/** The events in which the beginning of the last turns is looked for. */
const WINDOW = 400;
/** How long a server that has gone may take to come back. */
const GIVE_UP_MS = 60_000;

/** The events of the last turns, as many as are wanted. */
async function tailOf(store: Store, session: FoundSession, turns: number): Promise<StreamEvent[]> {
  const { id, first, last, turn } = session;
  if (turns === 0) return [];
  const after = Math.max(first - 1, Math.min(last - WINDOW * turns, (turn?.seq ?? last) - 1), 0);
  const events: StreamEvent[] = [];
  for await (const event of store.events(id, { after, follow: false, native: false })) {
    if (event.seq <= last) events.push(event);
  }
  const starts = events.flatMap((event, at) => (event.type === "turn.started" ? [at] : []));
  return events.slice(starts.at(-turns) ?? starts[0] ?? 0);
}

/** Shows what comes in a session and its sub-agents' asks, until the signal or the end of the session. */
async function followLive(
  client: ParleyClient,
  from: FoundSession,
  shown: SessionView,
  asks: Asks,
  view: View,
  stop: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const signal = AbortSignal.any([stop, done.signal]);
  const session = client.session(from);
  const lost = (error: unknown): void => view.progress(`~ connection: ${safeLine(messageOf(error))}`);
  const { next: position } = await client.page({ after: "latest", limit: 1 });
  for (const ask of await session.asks()) asks.put(ask);
  const children = (async () => {
    for await (const event of client.allEvents({ after: position, signal, giveUpAfterMs: GIVE_UP_MS })) {
      if (event.session === from.id || event.root === from.id) asks.take(event);
    }
  })().catch(lost);
  try {
    const events = session.events({
      after: from.last,
      signal,
      giveUpAfterMs: GIVE_UP_MS,
      onConnection: (state) => {
        if (state.state === "lost") lost(state.error);
      },
    });
    for await (const event of events) shown.take(event);
  } finally {
    done.abort();
    await Promise.all([asks.close(), children]);
  }
}

/** Follows a session and has its asks answered at the terminal. Ctrl-C leaves it; the session goes on. */
export async function attach(given: string, flags: AttachFlags): Promise<number> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  const paint = painter(process.stderr);
  const view = new View(process.stdout, process.stderr);
  const interrupts = new Interrupts();
  interrupts.signal.addEventListener("abort", () => {
    if (interrupts.code === EXIT_CTRL_C) view.interrupted();
  });
  const { signal } = interrupts;
  const follow = async (store: Store): Promise<number> => {
    const session = await store.get(await findSession(store, given));
    if (!session) throw usageError(`no session ${given}; parley sessions lists them`);
    const { id, agent, title, status, directory } = session;
    const facts = [id, safeLine(agent), safeLine(directory), status, ...(title ? [safeLine(title)] : [])].join(" · ");
    view.progress(paint("dim", `· ${facts}`));
    const shown = new SessionView(view, paint, session);
    for (const event of await tailOf(store, session, flags.tail)) shown.take(event);
    view.rest();
    if (!store.client) {
      view.progress(paint("dim", "· no server runs here, so nothing more can come"));
      return EXIT.ok;
    }
    const handle = store.client.session(id);
    const asks = new Asks({
      mode: askMode({}, process.stdin.isTTY === true && process.stderr.isTTY === true),
      leave: true,
      person: personAt(process.stdin, process.stderr),
      view,
      paint,
      answer: (ask, answer) => handle.answer(ask, answer),
      waits: async (ask) => (await handle.asks()).some((one) => one.id === ask),
    });
    await followLive(store.client, session, shown, asks, view, signal);
    view.rest();
    const left = signal.aborted ? `detached; parley attach ${id} follows it again` : "the session was deleted";
    view.progress(paint("dim", `· ${left}`));
    return interrupts.code === EXIT_CTRL_C ? EXIT.ok : (interrupts.code ?? EXIT.ok);
  };
  try {
    return await withStore(settings, follow, { signal });
  } finally {
    view.rest();
    interrupts.close();
  }
}
