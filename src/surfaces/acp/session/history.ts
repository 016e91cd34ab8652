import type { SessionDetail, StreamEvent } from "../../../client/index.ts";
import { collapse } from "../translate/collapse.ts";
import { Translator } from "../translate/translator.ts";
import type { Update } from "../translate/updates.ts";
import type { AttachedSession } from "./attached.ts";
import { childIn, Starts } from "./starts.ts";

function isCut(detail: SessionDetail, { seq }: StreamEvent): boolean {
  return detail.cuts?.some(({ from, to }) => seq >= from && seq <= to) ?? false;
}

/** Gives the whole past of a session, up to the state that was read: each turn as if it had been told at once. */
export async function replay(session: AttachedSession, detail: SessionDetail): Promise<void> {
  const translator = new Translator({ directory: detail.directory });
  session.translator = translator;
  let turn: Update[] = [];
  const { children } = session;
  const starts = new Starts();
  let isWhole = true;
  let info: Update = {
    type: "info",
    updated: detail.updated,
    ...(detail.title === undefined ? {} : { title: detail.title }),
  };
  const flush = async (): Promise<void> => {
    for (const update of collapse(turn)) {
      if (update.type === "info") info = { ...info, ...update };
      // A prompt of this very client, which still runs, is part of the past, too.
      else await session.give(update, false);
    }
    for (const update of turn)
      if (update.type === "end" && update.end.prompt !== undefined)
        session.prompts.settle(update.end.prompt, update.end);
    turn = [];
  };
  for await (const event of session.handle.events({ after: 0, follow: false })) {
    if (event.seq > detail.last) break;
    if (event.type !== "gap" && isCut(detail, event)) continue;
    turn.push(...translator.past(event));
    if (event.type === "gap") {
      isWhole = false;
      continue;
    }
    starts.take(event);
    const child = childIn(event);
    if (child && event.type === "item.completed") turn.push(...(await children.past(child, translator, false)));
    if (event.type === "turn.ended") await flush();
  }
  for (const child of starts.open()) turn.push(...(await children.past(child, translator, true)));
  await flush();
  // The call that started a sub-agent may be no longer kept.
  if (!isWhole) await meet(session, detail, starts);
  const over = stoppedIn(session);
  children.followBusy();
  await session.give(info);
  for (const update of over) if (update.type === "call" || update.type === "compaction") await session.give(update);
}

/** Learns the open turn, and the sub-agents, without telling of them: the client gets what comes next. */
export async function prime(session: AttachedSession, detail: SessionDetail): Promise<void> {
  const { turn } = detail;
  const starts = new Starts();
  if (turn) {
    for await (const event of session.handle.events({ after: turn.seq - 1, follow: false })) {
      if (event.seq > detail.last) break;
      session.translator.take(event);
      if (event.type !== "gap") starts.take(event);
    }
    session.translator.calls.untell();
  }
  await meet(session, detail, starts);
  stoppedIn(session);
  session.children.followBusy();
}

/** The open turn may be over for the client: nothing of it is open then. */
function stoppedIn(session: AttachedSession): Update[] {
  return session.stoppedTurn === undefined ? [] : session.stopped(session.stoppedTurn);
}

async function meet(session: AttachedSession, { last }: SessionDetail, starts: Starts): Promise<void> {
  const { handle, translator } = session;
  await session.children.meetBelow({ handle, translator, last, starts });
}
