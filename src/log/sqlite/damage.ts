import { ParleyError } from "../../core/errors.ts";

/** Damaged events of a session that are remembered at most. */
const MAX_NUMBERS = 1_000;

export type Damage = ReturnType<typeof createDamage>;

/** The events that were asked for and could not be read. */
export function createDamage(report: (error: ParleyError) => void) {
  const bySession = new Map<string, Set<number>>();
  const states = new Set<string>();
  const advice = "stop the server and run `parley doctor --repair`";
  return {
    /** An event that cannot be read; told once. */
    met(session: string, seq: number): void {
      const numbers = bySession.get(session) ?? new Set();
      bySession.set(session, numbers);
      if (numbers.has(seq) || numbers.size >= MAX_NUMBERS) return;
      numbers.add(seq);
      // One log line a session: a damaged page holds many events.
      if (numbers.size > 1) return;
      const message = `the log is damaged: event ${seq} of ${session} cannot be read, and is told as a gap: ${advice}`;
      report(new ParleyError("log_damaged", message, { session, seq }));
    },
    /** A session whose state cannot be read. */
    metState(session: string): void {
      if (states.has(session)) return;
      states.add(session);
      const message = `the log is damaged: the state of ${session} cannot be read and was made anew from its events: ${advice}`;
      report(new ParleyError("log_damaged", message, { session }));
    },
    numbers: (session: string): readonly number[] => [...(bySession.get(session) ?? [])].sort((a, b) => a - b),
  };
}
