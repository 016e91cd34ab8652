import { KNOWN } from "../../agents/acp/known/known.ts";
import { INSTALLABLE_NAMES } from "../../install/catalog.ts";

/** Agents that are part of Parley. */
export const BUILT_IN: readonly string[] = ["house", "scripted"];

/** Everything that can be installed: programs that Parley has adapters for, then packages of known ACP agents. */
export const NAMES: readonly string[] = [
  ...INSTALLABLE_NAMES,
  ...KNOWN.filter(({ npm }) => npm !== undefined).map(({ name }) => name),
];
