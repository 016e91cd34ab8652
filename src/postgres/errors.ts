import { codeOf, isParleyError, messageOf, ParleyError } from "../core/errors.ts";
import type { Address } from "./address.ts";

/** A read changes nothing, so that an answer that is lost is an answer that was not given. */
export type Purpose = "read" | "write";

/** The connection ended, or was ended, before the answer to a statement came. */
export class LostAnswer extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LostAnswer";
  }
}

const DISK_FULL = "53100";
const READ_ONLY = "25006";

/** The server's code of a refused statement, also of the ParleyError that was made of it. */
export function sqlStateOf(thrown: unknown): string | undefined {
  if (isParleyError(thrown)) return typeof thrown.details.sqlState === "string" ? thrown.details.sqlState : undefined;
  const code = codeOf(thrown);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && severityOf(thrown) !== undefined ? code : undefined;
}

/** Makes a ParleyError of what a statement ended with. Only an error that the server told for the statement says that nothing was stored. */
export function toDatabaseError(thrown: unknown, purpose: Purpose, { where, redact }: Address): ParleyError {
  if (isParleyError(thrown)) return thrown;
  const said = redact(messageOf(thrown));
  const sqlState = sqlStateOf(thrown);
  if (sqlState === undefined || severityOf(thrown) !== "ERROR") return lost(said, purpose, where, thrown);
  if (sqlState === DISK_FULL) {
    const message = `the disk of the database at ${where} is full, so nothing was stored: free some space there, then try again`;
    return new ParleyError("disk_full", message, { sqlState }, thrown);
  }
  const why =
    sqlState === READ_ONLY
      ? `the database at ${where} is read-only, as a replica is: give the address of the primary`
      : `the database at ${where} refused a statement (${said}, ${sqlState}): nothing was stored; try again`;
  return new ParleyError("unavailable", why, { sqlState }, thrown);
}

function lost(said: string, purpose: Purpose, where: string, cause: unknown): ParleyError {
  if (purpose === "read") return away(where, said, cause);
  const message = `the database at ${where} did not answer (${said}), so it is not known whether the write is stored: make it again`;
  return new ParleyError("outcome_unknown", message, {}, cause);
}

/** The refusal of a call that was never sent. */
export function away(where: string, why: string, cause?: unknown): ParleyError {
  const message = `the database at ${where} cannot be reached (${why}): see that it runs; Parley goes on by itself when it is back`;
  return new ParleyError("unavailable", message, {}, cause);
}

function severityOf(thrown: unknown): string | undefined {
  const severity = thrown instanceof Error && "severity" in thrown ? thrown.severity : undefined;
  return typeof severity === "string" ? severity : undefined;
}
