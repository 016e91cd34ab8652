import type { IncomingMessage, ServerResponse } from "node:http";
import { ParleyError } from "../../core/errors.ts";
import { jsonIn, objectAs } from "../../core/json/fields.ts";
import { advertisedHost } from "../guards/advertised.ts";
import type { Attempt, Authenticator } from "../guards/auth.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { CodeVerdict, ConsoleCodes } from "./codes.ts";
import { CONSOLE_HEADERS } from "./policy.ts";

export interface LoginOptions {
  auth: Authenticator;
  codes: ConsoleCodes;
  /** Takes a code that another node knows. */
  elsewhere?: ((code: string) => Promise<CodeVerdict>) | undefined;
  /** The origin that clients are told, which a proxy may serve by https. */
  advertise?: string;
  now?(): number;
}

const AGAIN = "run `parley console` for another";
const REFUSALS: Readonly<Record<Exclude<CodeVerdict, "good">, string>> = {
  used: `this link was used already, and each lets one browser in: ${AGAIN}`,
  expired: `this link is older than five minutes: ${AGAIN}`,
  unknown: `this link is not one of this server's, or the server has started anew since it was made: ${AGAIN}`,
};
const WRONG_TOKEN = 'this is not the token of this server: it is in the file "token" of its data directory';

const UNHEARD: Attempt = { right: false, guess: false, why: "" };

type Shown = { code: string } | { token: string };

/** The secret that a browser shows. The body is never repeated: it holds a secret, or a part of one. */
function shownIn(body: Buffer | undefined): Shown {
  const { code, token } = objectAs<Record<string, unknown>>(jsonIn(body?.toString("utf8") ?? "")) ?? {};
  if (typeof code === "string" && token === undefined) return { code };
  if (typeof token === "string" && code === undefined) return { token };
  throw new ParleyError("invalid", 'expected {"code": "…"} of a link, or {"token": "…"}');
}

/** Whether the browser came by https, which only a proxy before us can speak. A page says by its Origin how it came. */
function isSecure({ headers }: IncomingMessage, advertise: string | undefined): boolean {
  if (headers.origin !== undefined) return headers.origin.toLowerCase().startsWith("https:");
  return advertise?.startsWith("https:") === true && headers.host?.toLowerCase() === advertisedHost(advertise);
}

/** The entrance of the console: a code or the token for a cookie, and the way out. */
export function createLogin({ auth, codes, elsewhere, advertise, now = () => performance.now() }: LoginOptions) {
  function answer(response: ServerResponse, cookie: string | undefined): void {
    const headers = { ...CONSOLE_HEADERS, "cache-control": "no-store" };
    response.writeHead(204, cookie === undefined ? headers : { ...headers, "set-cookie": cookie }).end();
  }

  async function take(code: string): Promise<CodeVerdict> {
    const verdict = codes.take(code);
    return verdict === "unknown" && elsewhere ? elsewhere(code) : verdict;
  }

  /** A code that was good once is no guess. */
  async function judge(shown: Shown): Promise<Attempt> {
    if ("token" in shown) return { right: auth.isToken(shown.token), guess: true, why: WRONG_TOKEN };
    const verdict = await take(shown.code);
    return verdict === "good"
      ? { right: true, guess: false, why: "" }
      : { right: false, guess: verdict === "unknown", why: REFUSALS[verdict] };
  }

  return {
    async enter(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
      const { body, remote, log } = context;
      const shown = shownIn(body);
      const attempt = auth.hears(remote, now()) ? await judge(shown) : UNHEARD;
      const verdict = auth.settle(attempt, remote, now());
      if (!verdict.ok) {
        log.warn({ remote, by: Object.keys(shown)[0] }, "a browser was not let in to the console");
        for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
        throw verdict.error;
      }
      log.info({ remote, by: Object.keys(shown)[0] }, "a browser was let in to the console");
      answer(response, auth.cookies?.set(isSecure(request, advertise)));
    },
    leave(request: IncomingMessage, response: ServerResponse): void {
      answer(response, auth.cookies?.clear(isSecure(request, advertise)));
    },
  };
}
