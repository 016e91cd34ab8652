import { createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { fromPairs } from "./cookies.ts";

export const CONSOLE_COOKIE = "parley_console_";

/** A browser that was let in stays so for this long. */
export const COOKIE_DAYS = 30;
const COOKIE_S = COOKIE_DAYS * 24 * 60 * 60;

const SHAPE = /^(v1\.(\d{1,12})\.[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export type CookieVerdict = "none" | "good" | "expired" | "wrong";

/**
 * The cookies of browsers that were let in. Nothing is kept of them: a cookie is its expiry under a key that is made from
 * the token, so that it outlives a restart, counts on every node, and ends when the token changes.
 */
export class ConsoleCookies {
  readonly #token: string;
  readonly #clock: () => number;
  #derived: { key: Buffer; name: string } | undefined;

  constructor(token: string, clock: () => number = Date.now) {
    this.#token = token;
    this.#clock = clock;
  }

  /** Made slowly, once and when it is needed: who has a cookie must not find a short token by trying many. */
  #secret(): { key: Buffer; name: string } {
    if (!this.#derived) {
      const key = scryptSync(this.#token, "parley console cookie v1", 32);
      // Cookies are shared by all ports of a host: servers with other tokens have cookies of other names.
      const suffix = createHmac("sha256", key).update("name").digest("hex").slice(0, 8);
      this.#derived = { key, name: `${CONSOLE_COOKIE}${suffix}` };
    }
    return this.#derived;
  }

  #mark(text: string): Buffer {
    return createHmac("sha256", this.#secret().key).update(text).digest();
  }

  /** The value of the header that lets a browser in. */
  set(secure: boolean): string {
    const expiry = Math.floor(this.#clock() / 1000) + COOKIE_S;
    const text = `v1.${expiry}.${randomBytes(16).toString("base64url")}`;
    return this.#header(`${text}.${this.#mark(text).toString("base64url")}`, COOKIE_S, secure);
  }

  /** The value of the header that takes the cookie away. */
  clear(secure: boolean): string {
    return this.#header("", 0, secure);
  }

  #header(value: string, seconds: number, secure: boolean): string {
    const always = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
    return `${this.#secret().name}=${value}; ${always}${secure ? "; Secure" : ""}`;
  }

  /** Of all the cookies of a request with our name the best counts: a browser may have an older one for another path. */
  check(header: string | undefined): CookieVerdict {
    if (!header?.toLowerCase().includes(CONSOLE_COOKIE)) return "none";
    const found = fromPairs(header, ";", this.#secret().name).map((value) => this.#judge(value));
    return (["good", "expired", "wrong"] as const).find((verdict) => found.includes(verdict)) ?? "none";
  }

  #judge(value: string): CookieVerdict {
    const [, text = "", expiry, mark = ""] = SHAPE.exec(value) ?? [];
    const shown = Buffer.alloc(32);
    shown.write(mark, "base64url");
    const right = timingSafeEqual(shown, this.#mark(text));
    if (!right || text === "") return "wrong";
    return Number(expiry) * 1000 > this.#clock() ? "good" : "expired";
  }
}
