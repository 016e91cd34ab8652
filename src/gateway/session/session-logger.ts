import type { Logger } from "../../core/logger.ts";
import type { LedgerView } from "./ledger-view.ts";

/** Logs for one session. */
export class SessionLogger {
  private readonly logger: Logger;
  private readonly session: string;
  private readonly ledger: LedgerView;

  constructor(logger: Logger, session: string, ledger: LedgerView) {
    this.logger = logger;
    this.session = session;
    this.ledger = ledger;
  }

  warn(error: unknown, message: string): void {
    this.logger.warn({ session: this.session, turn: this.ledger.state.turn?.id, err: error }, message);
  }

  error(error: unknown, message: string): void {
    this.logger.error({ session: this.session, err: error }, message);
  }

  /** For work that nobody waits for: its failure is logged, not thrown away. */
  quietly(work: Promise<unknown> | undefined, message: string): void {
    work?.catch((error: unknown) => this.warn(error, message));
  }
}
