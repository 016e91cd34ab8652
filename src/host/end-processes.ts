import { setTimeout as delay } from "node:timers/promises";
import { isRunning, type ProcessInfo, startTime } from "./process-identity.ts";

/** Processes that are to end together. */
export interface Family {
  members: ProcessInfo[];
  /** Process groups that are surely theirs, so that one signal reaches a member born a moment ago. */
  groups: number[];
}

const KILL_PATIENCE_MS = 2000;
const POLL_FIRST_MS = 5;
const POLL_MAX_MS = 50;
const KILL_ROUND_MS = 200;

function signalQuietly(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Gone already, or not ours to signal: the next look at the family tells.
  }
}

function signalMember(member: ProcessInfo, signal: NodeJS.Signals): void {
  if (startTime(member.pid) === member.start) signalQuietly(member.pid, signal);
}

export function signalFamily(family: Family, signal: NodeJS.Signals): void {
  for (const group of family.groups) signalQuietly(-group, signal);
  for (const member of family.members) {
    if (!family.groups.includes(member.group)) signalMember(member, signal);
  }
}

/** Waits until the members it was given are gone, or the time is up. The system gives no event for a stranger's end. */
async function waitGone(members: readonly ProcessInfo[], until: number): Promise<void> {
  let pause = POLL_FIRST_MS;
  while (members.some((member) => isRunning(member.pid, member.start))) {
    const left = until - performance.now();
    if (left <= 0) return;
    await delay(Math.min(pause, left));
    pause = Math.min(pause * 2, POLL_MAX_MS);
  }
}

/**
 * TERM, or another gentle word, to each member once, KILL to what is left after `graceMs`, looking again each time for
 * members that were born meanwhile. Returns what could not be ended.
 */
export async function endProcesses(
  look: () => Family,
  graceMs: number,
  gentle: NodeJS.Signals = "SIGTERM",
): Promise<ProcessInfo[]> {
  const termUntil = performance.now() + graceMs;
  const killUntil = termUntil + KILL_PATIENCE_MS;
  const asked = new Set<string>();
  for (;;) {
    const family = look();
    if (family.members.length === 0) return [];
    const now = performance.now();
    if (now >= killUntil) return family.members;
    if (now < termUntil) {
      const fresh = family.members.filter((member) => !asked.has(`${member.pid} ${member.start}`));
      signalFamily({ members: fresh, groups: asked.size === 0 ? family.groups : [] }, gentle);
      for (const member of fresh) asked.add(`${member.pid} ${member.start}`);
      await waitGone(family.members, termUntil);
    } else {
      signalFamily(family, "SIGKILL");
      await waitGone(family.members, Math.min(now + KILL_ROUND_MS, killUntil));
    }
  }
}
