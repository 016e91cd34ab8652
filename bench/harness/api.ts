import { get, type IncomingHttpHeaders } from "node:http";
import type { Server } from "./server.ts";

/** A request that must succeed. */
export async function call<T>(server: Pick<Server, "url">, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(server.url + path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`expected success of ${method} ${path}, got ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

export async function createSession(server: Server, agent: string, directory?: string): Promise<string> {
  const { id } = await call<{ id: string }>(server, "POST", "/v1/sessions", { agent, directory });
  return id;
}

export async function prompt(server: Server, session: string, text: string, wait = false): Promise<void> {
  await call(server, "POST", `/v1/sessions/${session}/prompts?wait=${wait}`, { text });
}

export interface Answered {
  ms: number;
  text: string;
  headers: IncomingHttpHeaders;
}

/** How long a whole answer takes, on a connection of its own. */
export function wholeBody(url: string): Promise<Answered> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (more: string) => {
        text += more;
      });
      response.once("error", reject);
      response.once("end", () => {
        const ms = performance.now() - start;
        if (response.statusCode === 200) resolve({ ms, text, headers: response.headers });
        else reject(new Error(`expected 200 from ${url}, got ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    request.once("error", reject);
  });
}

/** Milliseconds until the first byte of an answer's body that passes `seen`; the rest is read, or cut for a stream. */
export function timeToByte(url: string, seen: (text: string) => boolean = () => true): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`expected 200 from ${url}, got ${response.statusCode}`));
        request.destroy();
        return;
      }
      let elapsed: number | undefined;
      const endless = response.headers["content-type"] === "text/event-stream";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        if (elapsed === undefined && seen(text)) elapsed = performance.now() - start;
        if (elapsed !== undefined && endless) response.destroy();
      });
      response.once("close", () => {
        if (elapsed === undefined) reject(new Error(`expected an answer from ${url}, got its end`));
        else resolve(elapsed);
      });
    });
    request.once("error", reject);
  });
}
