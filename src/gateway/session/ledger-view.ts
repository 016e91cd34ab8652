import type { LedgerState } from "../../core/ledger/state.ts";

/** A session's ledger for the parts that read it. Only the actor changes the state. */
export interface LedgerView {
  readonly state: LedgerState;
}
