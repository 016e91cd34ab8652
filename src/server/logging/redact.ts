import { percentDecoded } from "../../core/percent.ts";

export const TOKEN_PARAMETER = "auth_token";
const HIDDEN = "[hidden]";

function nameOf(pair: string): string {
  const raw = pair.split("=", 1)[0] ?? "";
  return percentDecoded(raw.replaceAll("+", " "));
}

/** The same request target without the token, for everything behind the guard: handlers, redirects, log lines. */
export function withoutToken(target: string): string {
  const at = target.indexOf("?");
  if (at < 0) return target;
  const kept = target
    .slice(at + 1)
    .split("&")
    .filter((pair) => nameOf(pair).toLowerCase() !== TOKEN_PARAMETER);
  return kept.length > 0 ? `${target.slice(0, at)}?${kept.join("&")}` : target.slice(0, at);
}

const IN_URL = /((?:auth(?:_|%5f)token|access_token|\bticket|\benter)=)[^&\s"'\\#]+/gi;
const IN_HEADER = /\b(bearer|basic)(\s+)[a-z0-9._~+/=-]{8,}/gi;
const IN_COOKIE = /(parley_(?:token|console_\w+)=)[^;\s"'\\]+/gi;

/** Takes known secrets, and all that looks like a way to carry one, out of a line for the log. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let out = text;
  for (const secret of secrets) if (secret !== "") out = out.replaceAll(secret, HIDDEN);
  return out.replace(IN_URL, `$1${HIDDEN}`).replace(IN_HEADER, `$1$2${HIDDEN}`).replace(IN_COOKIE, `$1${HIDDEN}`);
}
