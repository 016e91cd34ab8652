import { isLoopbackBind } from "./addresses.ts";
import { isExposed } from "./advertised.ts";

/**
 * Why this bind is refused, or undefined. There is no further flag to force it: anybody who reaches the port could run
 * commands here, and a token costs nothing.
 */
export function refuseBind(host: string, authenticated: boolean, advertise?: string): string | undefined {
  if (authenticated || !isExposed(host, advertise)) return undefined;
  if (advertise !== undefined && isLoopbackBind(host)) {
    return (
      `refusing to be reached as ${advertise} without a token: --insecure-no-auth is for this machine only, ` +
      "and anybody who reaches that address could run commands. Leave out --insecure-no-auth, or --advertise"
    );
  }
  const where = host === "" ? "every address" : host;
  return (
    `refusing to listen on ${where} without a token: --insecure-no-auth is for loopback addresses only, ` +
    "and anybody who reaches this port could run commands. " +
    "Leave out --insecure-no-auth, or listen on 127.0.0.1"
  );
}
