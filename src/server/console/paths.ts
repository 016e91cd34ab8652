import type { IncomingMessage } from "node:http";

export const CONSOLE = "/console/";
export const LOGIN = "/console/login";
export const LOGOUT = "/console/logout";

export function isConsole(path: string): boolean {
  return path === "/console" || path.startsWith(CONSOLE);
}

const isRead = (method: string | undefined): boolean => method === "GET" || method === "HEAD";

/** Whether a request is for what the console shows to strangers: its files, which hold nothing secret, and its entrance. */
export function isOpenConsole(method: string | undefined, path: string): boolean {
  if (isRead(method)) return isConsole(path);
  return method === "POST" && (path === LOGIN || path === LOGOUT);
}

/** A browser asks for `/` like this, and is led to the console. Programs ask for any type, and are answered by the surfaces. */
export function asksForPage({
  method,
  url = "/",
  headers,
}: Pick<IncomingMessage, "method" | "url" | "headers">): boolean {
  if (!isRead(method)) return false;
  if (url.split("?", 1)[0] !== "/") return false;
  return (headers.accept ?? "")
    .split(",")
    .some((type) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(type));
}
