import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ParleyError } from "../../core/errors.ts";
import { TOKEN_PARAMETER } from "../logging/redact.ts";
import { isLoopbackAddress } from "./addresses.ts";
import { ConsoleCookies } from "./console-cookie.ts";
import { fromPairs } from "./cookies.ts";
import { FailureTable } from "./failure-table.ts";

const TOKEN_COOKIE = "parley_token";

/** Says whether a text is the token. Both are hashed under a fresh key, so the time taken tells nothing about either. */
export type Verify = (candidate: string) => boolean;

export function tokenVerifier(token: string): Verify {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const expected = digest(token);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

export interface CredentialHead {
  authorization?: string;
  cookie?: string;
  url: string;
  /** `Sec-Fetch-Site`, where a browser says it. */
  site?: string;
  /** `x-parley-client`, by which our own client and its pages name themselves. */
  client?: string;
}

/** The password of `user:password` in base64; the user may be anybody. */
function passwordIn(value: string): string[] {
  const pair = Buffer.from(value, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? [] : [pair.slice(colon + 1)];
}

function fromAuthorization(header: string): string[] {
  const [, scheme = "", value = ""] = /^(\S+)\s+(\S.*)$/.exec(header.trim()) ?? [];
  if (scheme.toLowerCase() === "bearer") return [value];
  return scheme.toLowerCase() === "basic" ? passwordIn(value) : [];
}

/** The token itself, or as OpenCode's clients send it: what Basic would have, in the query. */
function fromQuery(url: string): string[] {
  const query = url.indexOf("?");
  const shown = query < 0 ? [] : fromPairs(url.slice(query + 1), "&", TOKEN_PARAMETER);
  return shown.flatMap((value) => [value, ...passwordIn(value)]);
}

/** Every token a request shows. A stale cookie beside the right header must not shut its owner out. */
export function candidates(head: CredentialHead): string[] {
  return [
    ...(head.authorization === undefined ? [] : fromAuthorization(head.authorization)),
    ...fromQuery(head.url),
    ...(head.cookie === undefined ? [] : fromPairs(head.cookie, ";", TOKEN_COOKIE)),
  ];
}

export interface Guesses {
  right: boolean;
  blockedMs: number;
  remote: string;
}

/**
 * After too many wrong tokens an address is refused, even with the right one, so that guessing on is pointless. Loopback
 * is the exception: any program of this machine could otherwise lock its owner out, and a token of 16 characters or more
 * is not found by guessing.
 */
export function judge(guesses: Guesses): "pass" | "unauthorized" | "too_many_failures" {
  const blocked = guesses.blockedMs > 0;
  if (guesses.right && (!blocked || isLoopbackAddress(guesses.remote))) return "pass";
  return blocked ? "too_many_failures" : "unauthorized";
}

export type AuthVerdict = { ok: true } | { ok: false; error: ParleyError; headers: Record<string, string | string[]> };

const HOW =
  "expected the token of this server: send it as `Authorization: Bearer <token>`, as the password of Basic, as the cookie " +
  `${TOKEN_COOKIE} or as ?${TOKEN_PARAMETER}=<token>; it is in the file "token" of the data directory`;

/** The browser's own dialog for a password is for people who follow a link; a page has a form of its own. */
function challenges(client: string | undefined): string[] {
  const bearer = 'Bearer realm="parley"';
  return client === undefined ? ['Basic realm="parley", charset="UTF-8"', bearer] : [bearer];
}

/** A cookie goes with the requests of other pages of the same host, too: it counts for those of our own page alone. */
function isOwnPage(site: string | undefined): boolean {
  return site === undefined || site === "same-origin" || site === "none";
}

/** One try to get in: whether it is right, whether a wrong one counts as a guess, and why it is wrong. */
export interface Attempt {
  right: boolean;
  guess: boolean;
  why: string;
}

export class Authenticator {
  readonly #verify: Verify | null;
  readonly #failures: FailureTable;
  /** Of browsers that were let in; null where everybody is. */
  readonly cookies: ConsoleCookies | null;

  /** Without a token everybody passes: the bind guard sees to it that only this machine is everybody. */
  constructor(token: string | null, failures: FailureTable = new FailureTable()) {
    this.#verify = token === null ? null : tokenVerifier(token);
    this.cookies = token === null ? null : new ConsoleCookies(token);
    this.#failures = failures;
  }

  isToken(candidate: string): boolean {
    return this.#verify?.(candidate) ?? true;
  }

  check(head: CredentialHead, remote: string, now: number): AuthVerdict {
    const shown = candidates(head);
    const cookie = isOwnPage(head.site) ? this.cookies?.check(head.cookie) : "none";
    const right = shown.map((one) => this.isToken(one)).includes(true) || cookie === "good";
    const verdict = this.settle({ right, guess: shown.length > 0 || cookie === "wrong", why: HOW }, remote, now);
    if (verdict.ok || verdict.error.code !== "unauthorized") return verdict;
    return { ...verdict, headers: { "www-authenticate": challenges(head.client) } };
  }

  /** Whether an attempt from there could succeed: a code that is good once must not be spent on one that cannot. */
  hears(remote: string, now: number): boolean {
    return this.#failures.blockedFor(remote, now) === 0 || isLoopbackAddress(remote);
  }

  /** The verdict on an attempt, which counts it. */
  settle({ right, guess, why }: Attempt, remote: string, now: number): AuthVerdict {
    if (!this.#verify) return { ok: true };
    const blockedMs = this.#failures.blockedFor(remote, now);
    const verdict = judge({ right, blockedMs, remote });
    if (verdict === "pass") return { ok: true };
    if (verdict === "too_many_failures") {
      const seconds = Math.ceil(blockedMs / 1000);
      const detail = `too many wrong tokens from this address: try again in ${seconds} s`;
      return { ok: false, error: new ParleyError(verdict, detail), headers: { "retry-after": String(seconds) } };
    }
    if (guess) this.#failures.fail(remote, now);
    return { ok: false, error: new ParleyError(verdict, why), headers: {} };
  }
}
