import { isCommandName } from "./command-name.ts";
import { ParleyError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/**
 * Says that there is no such agent, which one was probably meant, and all that there are. `further` ones are known, but not there. Command lines are left out: each
 * that was ever used is an agent.
 */
export function unknownAgentWords(name: string, names: readonly string[], further: readonly string[] = []): string {
  const shown = names.filter((one) => !isCommandName(one));
  const meant = nearest(name, [...shown, ...further]);
  const hint = meant === undefined ? "" : ` did you mean ${meant}?`;
  const lack = name === "" ? 'expected an agent\'s name, got "";' : `no agent ${name};${hint}`;
  return `${lack} there are: ${shown.join(", ")}`;
}

/** The refusal of an agent that there is not. */
export function unknownAgent(name: string, names: readonly string[]): ParleyError {
  return new ParleyError("agent_not_found", unknownAgentWords(name, names));
}
