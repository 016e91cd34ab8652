import type { Draft } from "../../src/core/events/event.ts";
import type { Log } from "../../src/log/contract.ts";
import { drafts, entries } from "./drafts.ts";
import { createWith } from "./writers.ts";

/** A turn as a Parley wrote it that did not tell steps. */
function olderTurn(time: number, started: object = {}): Draft[] {
  const [begun, ended] = [drafts.turnStarted("trn_1"), drafts.turnEnded("trn_1")];
  return [{ ...begun, time, data: { by: "user", ...started } } as Draft, { ...ended, time } as Draft];
}

/** Writes turns of an older Parley, and says which of them count, with their models. */
export async function writeOlder(log: Log): Promise<string[]> {
  const first = { ...drafts.started(), time: 100 } as Draft;
  const imported: Draft = {
    type: "session.updated",
    time: 500,
    source: "parley",
    data: { meta: { imported: { session: "ses_x", time: 500 } } },
  };
  const known: Draft = { type: "session.updated", time: 110, source: "agent", data: { model: "later" } };
  await createWith(
    log,
    { id: "ses_plain" },
    entries(first, ...olderTurn(101, { model: "m" }), known, ...olderTurn(111)),
  );
  await createWith(log, { id: "ses_fork" }, entries(first, ...olderTurn(50), ...olderTurn(120)));
  await createWith(log, { id: "ses_import" }, entries(first, ...olderTurn(400), imported, ...olderTurn(501)));
  const child = { id: "ses_child", parent: "ses_import", root: "ses_import" };
  await createWith(log, child, entries(first, ...olderTurn(401)));
  await createWith(log, { id: "ses_replay" }, entries(first, ...olderTurn(130, { replayed: true })));
  return ["ses_fork:5 undefined", "ses_import:6 undefined", "ses_plain:3 m", "ses_plain:6 later"];
}
