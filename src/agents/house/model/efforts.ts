import type { AgentModel } from "../../contract.ts";

/** How hard a model can be told to think, in the words of the AI SDK, which each format translates. */
export const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** A model as this version or the configuration knows it. */
export interface ModelFacts extends AgentModel {
  efforts?: readonly Effort[];
}

const USUAL_EFFORTS: readonly Effort[] = ["low", "medium", "high"];

/** A model that thinks can be told how hard, unless it is known otherwise. */
export function effortsOf({ efforts, reasoning }: ModelFacts): readonly Effort[] {
  return efforts ?? (reasoning ? USUAL_EFFORTS : []);
}
