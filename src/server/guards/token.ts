import { randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codeOf, ParleyError } from "../../core/errors.ts";

const SHAPE = /^[\x21-\x7e]{16,512}$/;

export function generateToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A token travels in headers, cookies and URLs, and must be too long to guess. */
export function checkToken(token: string, from: string): string {
  if (SHAPE.test(token)) return token;
  throw new ParleyError(
    "invalid",
    `expected at least 16 printable characters without spaces as the token from ${from}, got ${token.length}: ` +
      "make one with `openssl rand -hex 32`, or leave it out to have one made",
  );
}

function readToken(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text === "") return undefined;
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return checkToken(text, path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Written aside and then named, so that nobody ever reads half a token; the first of two writers wins. */
function writeToken(path: string, token: string): string {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(aside, `${token}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    // A full disk has made the file, but not written it.
    rmSync(aside, { force: true });
    throw thrown;
  }
  try {
    linkSync(aside, path);
    unlinkSync(aside);
    return token;
  } catch {
    const theirs = readToken(path);
    if (theirs === undefined) renameSync(aside, path);
    else unlinkSync(aside);
    return theirs ?? token;
  }
}

/** The token that was given, else the one of the last start, else a new one. A given one is never written down. */
export function loadToken(dataDirectory: string, given?: string): string {
  if (given !== undefined) return checkToken(given, "the command line or the environment");
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const path = tokenPath(dataDirectory);
  return readToken(path) ?? writeToken(path, generateToken());
}

export function tokenPath(dataDirectory: string): string {
  return join(dataDirectory, "token");
}
