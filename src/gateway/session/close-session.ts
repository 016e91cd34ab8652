import type { Closing } from "../../core/ledger/state.ts";
import { within } from "../../core/within.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { SessionParts } from "./parts.ts";

/** How long an agent is kept until the closing is stored. */
const CLOSING_MS = 1_000;
/** How long a closing session waits for a log that takes no writes. */
const LAST_STORE_MS = 2_000;

export type Closed = SessionParts & { agent: ServingAgent };

/** Sends the closing to the ledger. A deletion must be stored, or is refused and changes nothing; for other reasons a place in the inbox is enough. */
async function tellLog(reason: Closing, { inbox, agent }: Closed): Promise<void> {
  if (reason === "shutdown") agent.own?.seal();
  const told = inbox.send({ type: "closing", reason }, { must: reason !== "deleted" });
  if (reason !== "deleted") return void (await within(told, CLOSING_MS));
  await told;
  agent.own?.seal();
}

/** Ends the agent of a session, and with it an open turn, also while nothing can be stored. */
export async function closeSession(reason: Closing, closed: Closed): Promise<void> {
  const { inbox, ledger, agent, logger } = closed;
  await tellLog(reason, closed);
  if (ledger.state.turn) await agent.own?.cancel();
  if (reason !== "closed") await agent.halt();
  await agent.own?.close();
  // A turn whose agent has not started yet, or a session without an agent, has no process whose exit would end the turn.
  if (reason !== "closed") inbox.signal({ type: "exited", code: null, signal: null, stderr: [] });
  const stored = inbox.whenIdle();
  if (reason === "deleted") await inbox.unlessRefused(stored);
  // The next start of Parley closes a turn whose end a full disk refused.
  else if (!(await within(stored, LAST_STORE_MS)) && inbox.refusal)
    logger.warn(inbox.refusal, "the session's end is not stored; the next start closes its turn");
  else await stored;
}
