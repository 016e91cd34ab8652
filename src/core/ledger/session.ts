import { isDeepStrictEqual } from "node:util";
import type { Draft } from "../events/event.ts";
import type { Limit, OptionValues } from "../events/values.ts";
import { beginsTurn, type Facts, mergeLimits, mergeMeta, reduceSession, type SessionState } from "../session-state.ts";
import type { Frame } from "./frame.ts";
import { restore } from "./restore.ts";
import type { Create } from "./state.ts";

const FACTS = ["nativeId", "title", "model", "mode"] as const;

/** A session begins, with the history of another one if it is a fork. */
export function onCreate(frame: Frame, { started, source, fork }: Create): void {
  frame.sayOfSession("session.started", started, source);
  if (!fork) return;
  frame.events.push(...fork.history);
  // Said last: the copied events are old, the session is not.
  frame.sayOfSession("session.updated", { ...fork.facts }, "parley");
  const state = stateAfter(frame.events);
  if (state) frame.state = restore(state, []);
}

function stateAfter(drafts: readonly Draft[]): SessionState | undefined {
  return drafts.reduce<SessionState | undefined>(
    (state, draft, index) => reduceSession(state, { ...draft, id: "", session: "", seq: index + 1 }),
    undefined,
  );
}

/** Says `session.updated` with the facts that changed; nothing when none did. */
export function updateFacts(frame: Frame, facts: Facts, source: "agent" | "parley", resume?: "resumed" | "lost"): void {
  const changed: Facts = {};
  const { titled } = frame.state.facts;
  if (facts.titled && !titled) changed.titled = true;
  for (const name of FACTS) {
    const value = facts[name];
    if (name === "title" && source === "agent" && titled) continue;
    if (value !== undefined && value !== frame.state.facts[name]) changed[name] = value;
  }
  if (facts.offers && !isDeepStrictEqual(facts.offers, frame.state.facts.offers)) changed.offers = facts.offers;
  if (facts.toRewind && !isDeepStrictEqual(facts.toRewind, frame.state.facts.toRewind ?? []))
    changed.toRewind = facts.toRewind;
  const options = optionsAfter(frame.state.facts.options, facts);
  if (!isDeepStrictEqual(options, frame.state.facts.options ?? {})) changed.options = options;
  const { permissions } = facts;
  if (permissions && !isDeepStrictEqual(permissions, frame.state.facts.permissions ?? []))
    changed.permissions = permissions;
  const meta = facts.meta && mergeMeta(frame.state.facts.meta, facts.meta);
  if (facts.meta && !isDeepStrictEqual(meta, frame.state.facts.meta ?? {})) changed.meta = facts.meta;
  if (Object.keys(changed).length === 0 && resume === undefined) return;
  frame.patch({ facts: { ...frame.state.facts, ...changed, ...(meta ? { meta } : {}) } });
  frame.sayOfSession("session.updated", { ...changed, ...(resume === undefined ? {} : { resume }) }, source);
}

/** The options in force after a change: those that it names replace those before, and one that is no longer offered is gone. */
function optionsAfter(before: OptionValues | undefined, { options, offers }: Facts): OptionValues {
  const all = Object.entries({ ...before, ...options });
  return Object.fromEntries(offers ? all.filter(([id]) => offers.some((offer) => offer.id === id)) : all);
}

/** Says which limits have changed, and nothing when none has. */
export function updateLimits(frame: Frame, limits: readonly Limit[]): void {
  const { limits: before } = frame.state;
  const changed = limits.filter((limit) => !before.some((one) => isDeepStrictEqual(one, limit)));
  if (changed.length === 0) return;
  frame.patch({ limits: mergeLimits(before, changed) });
  frame.sayOfSession("session.limits", { limits: changed });
}

/**
 * Gives the session another agent. Only a session without turns can change its agent: another agent does not know the
 * conversation. Returns whether that agent serves the session now.
 */
export function changeAgent(frame: Frame, agent: string | undefined): boolean {
  const { state } = frame;
  if (agent === undefined || agent === state.agent) return true;
  if (state.begun || state.queue.some(beginsTurn)) {
    frame.refuse(
      "invalid",
      `the session has begun with agent ${state.agent}, and ${agent} knows nothing of it: start a new session for ${agent}`,
    );
    return false;
  }
  const { nativeId: _, model: __, mode: ___, options: ____, offers: _____, ...facts } = state.facts;
  frame.patch({ agent, facts, limits: [] });
  frame.sayOfSession("session.updated", { agent }, "parley");
  return true;
}
