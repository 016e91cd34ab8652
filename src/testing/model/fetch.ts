import { type Observed, type Opened, openScript, type ScriptSource } from "./open.ts";
import { beforeHead, play } from "./play.ts";
import type { RecordedRequest } from "./recorder.ts";
import type { Answer, Asked } from "./respond.ts";

export interface ScriptedFetch extends Observed {
  /** Answers every request by the script, whatever its host: nothing leaves the process. */
  fetch: typeof globalThis.fetch;
}

async function askedOf(request: Request): Promise<Asked> {
  const headers = Object.fromEntries(request.headers);
  return { method: request.method, path: new URL(request.url).pathname, headers, body: await request.text() };
}

/** The error of Node's fetch when a connection breaks. */
function broken(message: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error("scripted cut"), { code: "ECONNRESET" }) });
}

function streamOf(
  answer: Answer,
  record: RecordedRequest,
  { recorder }: Opened,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const playing = play(answer, recorder, AbortSignal.any([left.signal, signal]));
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await playing.next();
        if (!next.done) return controller.enqueue(encoder.encode(next.value));
        recorder.end(record, answer.ending === "cut" ? "cut" : "done");
        if (answer.ending === "cut") controller.error(broken("terminated"));
        else controller.close();
      } catch {
        recorder.end(record, "left");
        if (!left.signal.aborted) controller.error(signal.reason);
      }
    },
    cancel() {
      left.abort();
      if (record.outcome === "pending") recorder.end(record, "left");
    },
  });
}

/** The scripted model without a port: a `fetch` to hand to an SDK in the same process. */
export async function scriptedFetch(source: ScriptSource = {}): Promise<ScriptedFetch> {
  const opened = await openScript(source);
  const { respond, recorder, observed } = opened;
  return {
    ...observed,
    async fetch(input, init) {
      const request = new Request(input, init);
      const asked = await askedOf(request);
      const answer = respond(asked);
      const record = recorder.begin(asked, answer);
      try {
        await beforeHead(answer, recorder, request.signal);
      } catch (thrown) {
        recorder.end(record, "left");
        throw request.signal.reason ?? thrown;
      }
      if (answer.silent) {
        recorder.end(record, "cut");
        throw broken("fetch failed");
      }
      const { status, headers } = answer;
      return new Response(streamOf(answer, record, opened, request.signal), { status, headers });
    },
  };
}
