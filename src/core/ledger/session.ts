import { isDeepStrictEqual } from "node:util";
import { mergeMeta } from "../session-state.ts";
import type { Frame } from "./frame.ts";
import type { Facts } from "./state.ts";

const FACTS = ["nativeId", "title", "model", "mode"] as const;

/** Says what has changed about the session, and nothing when nothing has. */
export function updateFacts(frame: Frame, facts: Facts, source: "agent" | "parley", resume?: "resumed" | "lost"): void {
  const changed: Facts = {};
  for (const name of FACTS) {
    const value = facts[name];
    if (value !== undefined && value !== frame.state.facts[name]) changed[name] = value;
  }
  const meta = facts.meta && mergeMeta(frame.state.facts.meta, facts.meta);
  if (facts.meta && !isDeepStrictEqual(meta, frame.state.facts.meta ?? {})) changed.meta = facts.meta;
  if (Object.keys(changed).length === 0 && resume === undefined) return;
  frame.patch({ facts: { ...frame.state.facts, ...changed, ...(meta ? { meta } : {}) } });
  frame.sayOfSession("session.updated", { ...changed, ...(resume === undefined ? {} : { resume }) }, source);
}
