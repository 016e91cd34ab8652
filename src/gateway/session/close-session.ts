import type { Closing } from "../../core/ledger/state.ts";
import { within } from "../../core/within.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { SessionParts } from "./parts.ts";

/** How long an agent that is let go waits for the log to hear of it first. */
const CLOSING_MS = 1_000;
/** How long a session that is let go waits for a log that takes no writes. */
const LAST_STORE_MS = 2_000;

export type Closed = SessionParts & { agent: ServingAgent };

/** A deletion is refused while the log takes no writes, and changes nothing then; otherwise a place in the inbox is enough. */
async function tellLog(reason: Closing, { inbox, agent }: Closed): Promise<void> {
  if (reason === "shutdown") agent.own?.seal();
  const told = inbox.send({ type: "closing", reason }, { must: reason !== "deleted" });
  if (reason !== "deleted") return void (await within(told, CLOSING_MS));
  await told;
  agent.own?.seal();
}

/** Ends the agent of a session, and with it any open turn. The agent goes even while nothing can be stored. */
export async function closeSession(reason: Closing, closed: Closed): Promise<void> {
  const { inbox, ledger, agent, logger } = closed;
  await tellLog(reason, closed);
  if (ledger.state.turn) await agent.own?.cancel();
  if (reason !== "closed") await agent.halt();
  await agent.own?.close();
  // A turn that was just starting, or a session without an agent, has no process whose exit would end it.
  if (reason !== "closed") inbox.signal({ type: "exited", code: null, signal: null, stderr: [] });
  const stored = inbox.whenIdle();
  if (reason === "deleted") await inbox.unlessRefused(stored);
  // The next start closes what a full disk kept open.
  else if (!(await within(stored, LAST_STORE_MS)) && inbox.refusal)
    logger.warn(inbox.refusal, "the session's end is not stored; the next start closes its turn");
  else await stored;
}
