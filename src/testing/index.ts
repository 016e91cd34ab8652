/** For the tests of programs that build on Parley. */
export { type Checked, checkLaws, type Violation } from "../core/ledger/laws.ts";
