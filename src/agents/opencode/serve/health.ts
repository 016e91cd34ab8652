import { isFields, jsonIn, textIn } from "../../../core/json/fields.ts";
import type { RunningServer } from "./contract.ts";
import { requestOf } from "./request-of.ts";

const LONGEST = 64 * 1024;

/** An answer of a server to the question whether it is well. */
export interface Health {
  /** The status of the answer. */
  status: number;
  /** It is OpenCode, and takes the password. */
  well: boolean;
  version?: string;
}

/** Asks a server whether it is well. Rejects when it does not answer before the signal. */
export async function askHealth(server: Pick<RunningServer, "url" | "headers">, signal: AbortSignal): Promise<Health> {
  const url = new URL(`${server.url}/global/health`);
  const send = await requestOf(url);
  return new Promise((resolve, reject) => {
    const sent = send(url, { headers: server.headers, agent: false, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        if (text.length > LONGEST) response.destroy(new Error("the answer is no answer of OpenCode"));
      });
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0 } = response;
        const told = jsonIn(text);
        const fields = isFields(told) ? told : {};
        const version = textIn(fields, "version");
        const well = status === 200 && fields.healthy === true;
        resolve({ status, well, ...(version === undefined ? {} : { version }) });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

export interface WatchTimes {
  /** One beat of the watch. A machine that sleeps has no beats, so that nothing counts as silent through its sleep. */
  beatMs: number;
  /** Beats between two questions. */
  every: number;
  /** Beats until a question counts as not answered. */
  limit: number;
  /** Beats without any answer after which the server counts as hung. */
  silent: number;
}

/** A server under heavy load may be slow: it is given up only when three questions of 15 s each were not answered. */
export const WATCH: WatchTimes = { beatMs: 1_000, every: 5, limit: 15, silent: 53 };

/** Watches a server until it is told to stop. `hung` is called once, when it has answered nothing for long. */
export function watchHealth(
  server: Pick<RunningServer, "url" | "headers" | "frozen">,
  hung: () => void,
  { beatMs, every, limit, silent }: WatchTimes = WATCH,
): () => void {
  let beats = 0;
  let rest = every;
  let asked: { abort: AbortController; left: number } | undefined;
  const ask = (): void => {
    const abort = new AbortController();
    const current = { abort, left: limit };
    asked = current;
    const done = (wait: number): void => {
      if (asked !== current) return;
      asked = undefined;
      rest = wait;
    };
    askHealth(server, abort.signal).then(
      () => {
        // Any answer is a sign of life.
        beats = 0;
        done(every);
      },
      () => done(1),
    );
  };
  const timer = setInterval(() => {
    if (server.frozen?.()) {
      beats = 0;
      return;
    }
    beats++;
    if (beats >= silent) {
      stop();
      hung();
    } else if (asked) {
      asked.left--;
      if (asked.left <= 0) asked.abort.abort();
    } else if (--rest <= 0) ask();
  }, beatMs);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    asked?.abort.abort();
  };
  return stop;
}
