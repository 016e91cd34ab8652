import { get } from "node:http";
import type { Step } from "../../src/testing/model/script.ts";
import { call } from "../harness/api.ts";
import type { Running } from "./contest.ts";

const PIECE = /<(\d+)>/g;
const LATE_MS = 60_000;

/** An answer in pieces that can be told apart. */
export function pacedAnswer(pieces: number, periodMs: number): Step {
  return { pace: periodMs, text: Array.from({ length: pieces }, (_, number) => `word <${number}> `) };
}

/** When the model wrote each piece of the answer that it gives now. */
export class Sent {
  readonly times = new Map<number, number>();

  note(data: string): void {
    const now = performance.now();
    for (const [, number] of data.matchAll(PIECE)) this.times.set(Number(number), now);
  }
}

export interface Heard {
  /** Milliseconds of each piece from the model's write to the client, in order. */
  delays: number[];
  /** From the prompt to the first piece. */
  first: number;
}

interface Said {
  type: string;
  properties: { sessionID?: string; delta?: string; field?: string };
}

export interface Listening {
  server: Running;
  session: string;
  pieces: number;
  sent: Sent;
  begin(): Promise<unknown>;
}

/** Follows one turn as a client of `/event` does, up to the session's idleness. */
export function hear({ server, session, pieces, sent, begin }: Listening): Promise<Heard> {
  sent.times.clear();
  const came = new Map<number, number>();
  return new Promise((resolve, reject) => {
    let began = 0;
    let rest = "";
    const request = get(`${server.url}/event`, { agent: false }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const now = performance.now();
        const frames = (rest + text).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) take(frame, now);
      });
      response.once("close", () => fail("the stream ended"));
      began = performance.now();
      begin().catch(reject);
    });
    const timer = setTimeout(() => fail(`not within ${LATE_MS} ms`), LATE_MS);
    const fail = (why: string): void => {
      clearTimeout(timer);
      request.destroy();
      reject(new Error(`expected ${pieces} pieces of an answer from ${server.url}, got ${came.size}: ${why}`));
    };
    const take = (frame: string, now: number): void => {
      const data = /^data: ?(.*)$/m.exec(frame)?.[1];
      if (data === undefined) return;
      const { type, properties } = JSON.parse(data) as Said;
      if (properties.sessionID !== session) return;
      if (type === "message.part.delta") {
        for (const [, number] of (properties.delta ?? "").matchAll(PIECE)) came.set(Number(number), now);
      }
      if (type !== "session.idle") return;
      if (came.size !== pieces) return fail("the session was idle");
      clearTimeout(timer);
      resolve({
        delays: [...came].map(([number, at]) => at - (sent.times.get(number) ?? Number.NaN)),
        first: (came.get(0) ?? Number.NaN) - began,
      });
      request.destroy();
    };
    request.once("error", (error) => fail(error.message));
  });
}

export async function newSession(server: Running): Promise<string> {
  return (await call<{ id: string }>(server, "POST", "/session", {})).id;
}

export async function promptAsync(server: Running, session: string, text: string): Promise<void> {
  const response = await fetch(`${server.url}/session/${session}/prompt_async`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parts: [{ type: "text", text }] }),
  });
  if (!response.ok)
    throw new Error(`expected the prompt to be taken, got ${response.status}: ${await response.text()}`);
}
