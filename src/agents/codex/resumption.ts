import { ResumeLost } from "../contract.ts";

const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const RESUMABLE = new RegExp(`^(${ID})(@(${ID})?)?$`, "i");

/** How a session's thread is opened: anew, as it is, or as a copy that ends with a turn. */
export type Opening =
  | { method: "thread/start" }
  | { method: "thread/resume"; thread: string }
  | { method: "thread/fork"; thread: string; turn: string };

/** The id of a copy that is made when it is first resumed: `THREAD@TURN` ends with that turn, `THREAD@` is empty. */
export function copyAt(resume: string, turn: string | undefined): string {
  return `${resume.split("@", 1)[0]}@${turn ?? ""}`;
}

export function openingOf(resume: string | undefined): Opening {
  if (resume === undefined) return { method: "thread/start" };
  const [, thread, copy, turn] = RESUMABLE.exec(resume) ?? [];
  if (thread === undefined) throw new ResumeLost(resume);
  if (copy === undefined) return { method: "thread/resume", thread };
  return turn === undefined ? { method: "thread/start" } : { method: "thread/fork", thread, turn };
}

const UNKNOWN =
  /no rollout found|thread not found|turn not found|not found: [0-9a-f-]{36}|invalid (?:session|thread) id/i;

/** Whether the program refused to open a thread because it does not know it, or not up to that turn. */
export function isLost(error: string): boolean {
  return UNKNOWN.test(error);
}
