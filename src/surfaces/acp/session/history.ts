import type { SessionDetail, StreamEvent } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { collapse } from "../translate/collapse.ts";
import { Translator } from "../translate/translator.ts";
import type { Update } from "../translate/updates.ts";
import type { AttachedSession } from "./attached.ts";
import { childIn } from "./children.ts";

function isCut(detail: SessionDetail, { seq }: StreamEvent): boolean {
  return detail.cuts?.some(({ from, to }) => seq >= from && seq <= to) ?? false;
}

/** Gives the whole past of a session, up to the state that was read: each turn as if it had been told at once. */
export async function replay(session: AttachedSession, detail: SessionDetail): Promise<void> {
  const translator = new Translator({ directory: detail.directory });
  session.translator = translator;
  let turn: Update[] = [];
  /** Events by the sub-agents whose calls are not over: what these say is shown as it comes. */
  const running = new Map<string, ParleyEvent>();
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
    if (event.type === "gap" || isCut(detail, event)) continue;
    turn.push(...translator.take(event));
    const child = childIn(event);
    if (child && event.type !== "item.completed") running.set(child.child, event);
    if (child && event.type === "item.completed") {
      running.delete(child.child);
      turn.push(...(await session.children.past(child, translator)));
    }
    if (event.type === "turn.ended") await flush();
  }
  await flush();
  for (const event of running.values()) session.children.notice(event, translator);
  await session.give(info);
}

/** Learns the open turn without telling of it: the client gets what comes next. */
export async function prime(session: AttachedSession, detail: SessionDetail): Promise<void> {
  const { turn } = detail;
  if (!turn) return;
  for await (const event of session.handle.events({ after: turn.seq - 1, follow: false })) {
    if (event.seq > detail.last) break;
    session.translator.take(event);
    if (event.type !== "gap") session.children.notice(event, session.translator);
  }
  session.translator.calls.untell();
}
