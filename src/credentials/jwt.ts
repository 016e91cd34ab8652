import { isFields, jsonIn } from "../core/json/fields.ts";
import { endOf } from "./contract.ts";

/** When a JSON web token ends, in milliseconds. Nothing is verified: only its issuer can. */
export function jwtEnd(token: string): number | undefined {
  const [, body, signature] = token.split(".");
  if (body === undefined || signature === undefined) return undefined;
  const claims = jsonIn(Buffer.from(body, "base64url").toString("utf8"));
  return isFields(claims) && typeof claims.exp === "number" ? endOf(claims.exp * 1_000) : undefined;
}
