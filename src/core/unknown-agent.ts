import { ParleyError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** The refusal of an agent that there is not: names the one that was probably meant, and all that there are. */
export function unknownAgent(name: string, names: readonly string[]): ParleyError {
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : ` did you mean ${meant}?`;
  return new ParleyError("agent_not_found", `no agent ${name};${hint} there are: ${names.join(", ")}`);
}
