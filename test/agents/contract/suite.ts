import { describe, type TestContext, test } from "node:test";
import { ENDS } from "./checks-ends.ts";
import { SEVERAL } from "./checks-several.ts";
import { STARTS } from "./checks-starts.ts";
import { TURNS } from "./checks-turns.ts";
import type { ContractRig } from "./watched.ts";

export type { ContractRig } from "./watched.ts";

/** The promises of src/agents/contract.ts, one check for each. A check rejects where an agent breaks its promise. */
export const CHECKS = { ...STARTS, ...TURNS, ...ENDS, ...SEVERAL };

export type Check = keyof typeof CHECKS;

export type MakeRig = (t: TestContext) => Promise<ContractRig>;

export interface ContractChoice {
  /** Checks that this agent cannot be put to, and why. */
  without?: Partial<Record<Check, string>>;
  /** Only these, for an agent whose starts are dear. */
  only?: readonly Check[];
  /** How many checks run side by side; 4 unless told. */
  atOnce?: number;
}

/**
 * Holds an adapter to the contract. The agent of the rig does as a prompt's word says:
 * `count N` says the numbers from 1 to N, each by a signal of its own, and ends; `work` says a word, runs a process and works until it is cancelled; `ask` asks for a permission once;
 * `deaf` says a word and ignores everything from then on, TERM too; `die` says 1, 2 and 3, writes "last words" to stderr and exits with 7.
 */
export function agentContract(
  name: string,
  makeRig: MakeRig,
  { without = {}, only, atOnce = 4 }: ContractChoice = {},
): void {
  describe(`${name} as an agent`, { concurrency: atOnce }, () => {
    for (const check of (only ?? (Object.keys(CHECKS) as Check[])).filter((one) => !(one in without))) {
      test(check, async (t) => CHECKS[check](await makeRig(t)));
    }
  });
}
