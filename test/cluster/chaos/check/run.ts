import { checkDoomed } from "../doomed.ts";
import type { FencedAgent, Limits, Read, Records, Violation } from "../records.ts";
import { checkCalls } from "./calls.ts";
import { checkOpenTurns, turnSpans } from "./open-turns.ts";
import { checkDeaths, checkEpochs, checkStale, checkTakes, checkWriters } from "./owners.ts";
import { checkNumbers, checkSeen, checkSessions, parsed } from "./stored.ts";
import { checkWatches, positionsOf } from "./streams.ts";

/** A read through any node sees what was acknowledged before it. */
export function checkReads(reads: readonly Read[]): Violation[] {
  return reads
    .filter(({ sees }) => !sees)
    .map(({ session, key, wrote, node }) => ({
      rule: "read-after-write",
      message: `${wrote} acknowledged ${key} of ${session}, and ${node} did not show it afterwards`,
    }));
}

/** No agent of a fenced node lives on for long after the node woke. */
export function checkAgents(agents: readonly FencedAgent[], limitMs: number): Violation[] {
  return agents
    .filter(({ seenMs }) => seenMs > limitMs)
    .map(({ node, pid, session, seenMs }) => ({
      rule: "fenced-agent",
      message: `agent ${pid} of ${session ?? "a session"} ran ${Math.round(seenMs)} ms after ${node} woke without its sessions`,
    }));
}

/** Holds all that a run left behind against all rules. */
export function checkRecords(records: Records, limits: Limits): Violation[] {
  const { doomed, calls, reads, seen, watches, downs, agents, left, surprises, tables } = records;
  const { sessions, events, commits, appends, ownings, nodes, unordered } = tables;
  const cancelled = calls.filter(({ kind, outcome }) => kind === "cancel" && outcome === "ok").map(({ key }) => key);
  return [
    ...checkCalls(calls, events.map(parsed)),
    ...checkNumbers(sessions, events),
    ...checkSeen(seen, sessions, events),
    ...checkSessions(events, new Set(cancelled)),
    ...checkEpochs(commits, unordered),
    ...checkWriters(appends, ownings),
    ...checkStale(appends, ownings),
    ...checkTakes(ownings, nodes),
    ...checkDeaths(nodes, limits.leaseMs),
    ...checkOpenTurns(turnSpans(events, appends), ownings, nodes, downs, limits.openMs),
    ...checkWatches(watches, positionsOf(commits, events)),
    ...checkReads(reads),
    ...checkDoomed(doomed, sessions),
    ...checkAgents(agents, limits.agentMs),
    ...left.map((message) => ({ rule: "left-running", message })),
    ...surprises.map((message) => ({ rule: "answer", message })),
  ];
}
