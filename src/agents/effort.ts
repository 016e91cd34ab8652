import type { AgentOption, OptionValues } from "../core/events/values.ts";

/** The effort that the model or the program takes by itself. */
const OWN = "default";

/** How hard a model thinks, where that can be chosen. */
export function effortOption(levels: readonly string[]): AgentOption[] {
  if (levels.length === 0) return [];
  const values = [...levels, OWN].map((id) => ({ id }));
  return [{ id: "effort", name: "Effort", kind: "select", values, default: OWN }];
}

/** The effort that was chosen; undefined where it is left to the model. */
export function effortIn(options: OptionValues | undefined): string | undefined {
  const effort = options?.effort;
  return typeof effort === "string" && effort !== OWN ? effort : undefined;
}
