import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Observed, openScript, type ScriptSource } from "./open.ts";
import { beforeHead, play } from "./play.ts";
import type { Recorder } from "./recorder.ts";
import type { Answer, Asked } from "./respond.ts";

export interface ScriptedModelOptions extends ScriptSource {
  /** Default: any free port. */
  port?: number;
  /** Hears each piece of a streamed answer right before it is written, for measuring what becomes of it. */
  onPiece?(data: string): void;
}

export interface ScriptedModel extends Observed {
  /** The root, as `ANTHROPIC_BASE_URL` wants it; most SDKs want `/v1` behind it. */
  url: string;
  close(): Promise<void>;
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  // Not all that clients send parses as an address: it is only looked at, and answered as unknown.
  const path = request.url?.split(/[?#]/, 1)[0] ?? "/";
  return { method: request.method ?? "GET", path, headers, body: Buffer.concat(chunks).toString("utf8") };
}

/** Waits for the socket, so that what was sent before a cut has really left. */
function written(response: ServerResponse, data: string): Promise<void> {
  return new Promise((resolve, reject) => response.write(data, (error) => (error ? reject(error) : resolve())));
}

interface Sending {
  response: ServerResponse;
  recorder: Recorder;
  signal: AbortSignal;
  onPiece?(data: string): void;
}

async function send(answer: Answer, { response, recorder, signal, onPiece }: Sending): Promise<void> {
  await beforeHead(answer, recorder, signal);
  if (!answer.silent) {
    response.writeHead(answer.status, answer.headers);
    response.flushHeaders();
    for await (const data of play(answer, recorder, signal)) {
      onPiece?.(data);
      await written(response, data);
    }
  }
  if (answer.ending === "cut") response.destroy();
  else response.end();
}

/** A model on a loopback port that says what a script tells it, in the wire format in which it is asked. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const { respond, recorder, observed } = await openScript(options);
  const { onPiece } = options;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const asked = await readAsked(request);
    const answer = respond(asked);
    const record = recorder.begin(asked, answer);
    try {
      await send(answer, { response, recorder, signal: gone.signal, onPiece });
      recorder.end(record, answer.ending === "cut" ? "cut" : "done");
    } catch {
      response.destroy();
      recorder.end(record, "left");
    }
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ...observed,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
