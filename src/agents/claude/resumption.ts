import { ResumeLost } from "../contract.ts";

/** Ids of the program's sessions, and of lines in them. */
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const RESUMABLE = new RegExp(`^(${ID})(@(${ID})?)?$`, "i");

/** The id of a copy that is made when it is first resumed: `SESSION@LINE` ends with that line, `SESSION@` is empty. */
export function copyAt(resume: string, line: string | undefined): string {
  return `${resume.split("@", 1)[0]}@${line ?? ""}`;
}

/** An id that a client made up is refused before it becomes an argument: it could be a flag. */
export function assertResumable(resume: string | undefined): void {
  if (resume !== undefined && !RESUMABLE.test(resume)) throw new ResumeLost(resume);
}

/** The arguments by which the program resumes a session, or begins a new one with the given id. */
export function resumption(resume: string | undefined, id: string): string[] {
  const [, session, copy, line] = RESUMABLE.exec(resume ?? "") ?? [];
  if (session === undefined) return ["--session-id", id];
  if (copy === undefined) return ["--resume", session];
  if (line === undefined) return ["--session-id", id];
  return ["--resume", session, "--resume-session-at", line, "--fork-session", "--session-id", id];
}
