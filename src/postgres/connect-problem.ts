import { codeOf, type ErrorCode, isParleyError, messageOf, ParleyError } from "../core/errors.ts";
import type { Address } from "./address.ts";

type Words = (address: Address) => string;

/** Things that the caller must change, by the code of the server or of the system. */
const ASKED_WRONGLY: Readonly<Record<string, Words>> = {
  "28P01": login,
  "28000": login,
  "3D000": ({ where, database }) =>
    `there is no database "${database}" at ${where}: create it (createdb), or give another`,
  "42501": ({ where, user }) =>
    `user "${user}" may not make tables in the database at ${where}: make it the owner of the database, or GRANT CREATE ON SCHEMA public`,
  "42P07": ({ where }) =>
    `the database at ${where} has tables of another program with the names of Parley's: give Parley a database of its own`,
  "42703": ({ where }) => `the database at ${where} holds what another program made: give Parley a database of its own`,
  "25006": ({ where }) => `the database at ${where} is read-only, as a replica is: give the address of the primary`,
  EAI_AGAIN: ({ where }) =>
    `the host of the database at ${where} cannot be looked up now: see the URL, and the resolver of this machine`,
  ENOTFOUND: ({ where }) => `there is no host of that name for the database at ${where}: see the URL`,
  ENOENT: ({ where }) => `there is no socket of a PostgreSQL for ${where}: see the URL, and that the server runs`,
};

function login({ where, user }: Address): string {
  return `the database at ${where} refused the login of user "${user}": see user and password in the URL, and the server's pg_hba.conf`;
}

const TLS_CODES = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_)/;

/** Makes one clear line of what kept a start from using its database. */
export function connectProblem(thrown: unknown, address: Address): ParleyError {
  if (isParleyError(thrown)) return thrown;
  const { where, redact } = address;
  const said = redact(messageOf(thrown) || (codeOf(thrown) ?? "no connection"));
  const code = codeOf(thrown) ?? codeOf(thrown instanceof AggregateError ? thrown.errors[0] : undefined) ?? "";
  const make = (message: string, as: ErrorCode = "invalid"): ParleyError =>
    new ParleyError(as, redact(message), {}, undefined);
  if (code === "42501" && !said.includes("for schema")) {
    return make(
      `user "${address.user}" may not use Parley's tables in the database at ${where} (${said}): give the user that made them, or make this one a member of it`,
    );
  }
  const known = ASKED_WRONGLY[code]?.(address);
  if (known !== undefined) return make(known);
  if (said.includes("password must be a string")) {
    return make(
      `the database at ${where} asks for a password, and none was given: put it into the URL or into PGPASSWORD`,
    );
  }
  if (said.includes("does not support SSL"))
    return make(`the database at ${where} has no TLS: take sslmode out of the URL`);
  if (TLS_CODES.test(code))
    return make(
      `the certificate of the database at ${where} was refused (${said}): see sslmode and sslrootcert in the URL`,
    );
  return make(
    `the database at ${where} cannot be reached (${said}): see the URL, and that the database runs`,
    "unavailable",
  );
}
