import type { CommandHost } from "../../host/contract.ts";
import type { Attachments } from "../attachments.ts";
import type { GatewayOptions } from "../options.ts";
import type { Inbox } from "./inbox.ts";
import type { Kin } from "./kin.ts";
import type { LedgerView } from "./ledger-view.ts";
import type { SessionLogger } from "./session-logger.ts";
import type { TurnWaits } from "./turn-waits.ts";

/** The parts of a session that most of its other parts use. */
export interface SessionParts {
  inbox: Inbox;
  ledger: LedgerView;
  waits: TurnWaits;
  logger: SessionLogger;
  kin: Kin;
}

/** A session as the parts that bring prompts to its agent know it. */
export interface ServedSession extends SessionParts, Pick<GatewayOptions, "log" | "roots" | "trust" | "mcp"> {
  session: string;
  directory: string;
  host: CommandHost;
  attachments: Attachments;
}
