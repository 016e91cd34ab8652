import { ResumeLost } from "../contract.ts";

const RESUMABLE = /^(ses_\w+)(@(msg_\w+)?)?$/;

/** How a session is opened: anew, as it is, or as a copy that ends with a message. */
export type Opening =
  | { how: "new" }
  | { how: "resume"; session: string }
  | { how: "copy"; session: string; message: string };

/** The id of a copy that is made when it is first resumed: `SESSION@MESSAGE` ends with that message, `SESSION@` is empty. */
export function copyAt(resume: string, message: string | undefined): string {
  return `${resume.split("@", 1)[0]}@${message ?? ""}`;
}

export function openingOf(resume: string | undefined): Opening {
  if (resume === undefined) return { how: "new" };
  const [, session, copy, message] = RESUMABLE.exec(resume) ?? [];
  if (session === undefined) throw new ResumeLost(resume);
  if (copy === undefined) return { how: "resume", session };
  return message === undefined ? { how: "new" } : { how: "copy", session, message };
}
