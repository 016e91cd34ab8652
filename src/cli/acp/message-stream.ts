import type { Readable } from "node:stream";
import type { AnyMessage, AnyRequest, Stream } from "@agentclientprotocol/sdk";
import { isDeeper, MAX_DEPTH } from "../../core/json/depth.ts";
import { createLineSplitter } from "../../host/lines/line-splitter.ts";
import type { WriteOut } from "./own-stdout.ts";

/** As the SDK's own limit; prompts carry images. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Messages that wait before no more is read. */
const WAITING = 64;

/** How long a client that has said its last word may wait for answers. */
const AFTER_CLOSE_MS = 1_000;

/** Its answer comes at the end of a turn, for which nobody waits who is gone. */
export const PROMPT = "session/prompt";

type RequestId = AnyRequest["id"];

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export interface MessageStreamOptions {
  input: Readable;
  write: WriteOut;
  /** Hears of each message that is written. */
  sent?(message: AnyMessage): void;
  maxLineBytes?: number;
}

export interface Refusal {
  code: number;
  message: string;
  data?: object;
}

export interface MessageStream extends Stream {
  /** Writes a message at once, unless another one is being written. */
  sendNow(message: AnyMessage): boolean;
  /** Resolves when every request has its answer, or the time is over. */
  answered(ms: number): Promise<void>;
  /** Answers every request that has no answer within the time, and writes nothing after that. */
  finish(refusal: (method: string) => Refusal, ms: number): Promise<void>;
}

/** The message of a line, or why it is none. An array would be a batch of JSON-RPC, which the protocol has not. */
export function readMessage(line: string): { message: AnyMessage } | { refusal: Refusal } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { refusal: { code: PARSE_ERROR, message: "Parse error: expected a line of JSON" } };
  }
  // An error would repeat the message, and what is too deep cannot be written.
  if (line.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH)) {
    const message = `Invalid request: expected at most ${MAX_DEPTH} levels of JSON`;
    return { refusal: { code: INVALID_REQUEST, message } };
  }
  if (Array.isArray(value)) {
    return { refusal: { code: INVALID_REQUEST, message: "JSON-RPC batches are not supported" } };
  }
  if (typeof value === "object" && value !== null) return { message: value as AnyMessage };
  return { refusal: { code: INVALID_REQUEST, message: "Invalid request: expected a JSON object" } };
}

/** The requests that have no answer yet. */
class OpenRequests {
  readonly #methods = new Map<RequestId, string>();
  /** Those whose answer is being written. */
  readonly #answering = new Set<RequestId>();
  readonly #looks = new Set<() => void>();

  came(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#methods.set(message.id, message.method);
  }

  sending(message: AnyMessage): void {
    if (!("method" in message)) this.#answering.add(message.id);
  }

  sent(message: AnyMessage): void {
    if (!("method" in message)) {
      this.#methods.delete(message.id);
      this.#answering.delete(message.id);
    }
    for (const look of this.#looks) look();
  }

  /** Those that nobody answers, with their methods. */
  unanswered(): [RequestId, string][] {
    return [...this.#methods].filter(([id]) => !this.#answering.has(id));
  }

  /** Resolves when all are answered, or it takes too long. Prompts count where that is said. */
  answered(ms: number, { prompts }: { prompts: boolean }): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if ([...this.#methods.values()].every((method) => !prompts && method === PROMPT)) done();
      };
      const done = (): void => {
        clearTimeout(late);
        this.#looks.delete(look);
        resolve();
      };
      const late = setTimeout(done, ms);
      this.#looks.add(look);
      look();
    });
  }
}

/**
 * The SDK takes the writer for each message anew, and waits until the message is written before it takes it for the next. So
 * the writer needs no queue; that of a stream costs more than all else that is done to write a piece of text.
 */
function writableOf(send: (message: AnyMessage) => Promise<void>): WritableStream<AnyMessage> {
  const writable = new WritableStream<AnyMessage>({ write: send });
  const queued = writable.getWriter();
  const writer: WritableStreamDefaultWriter<AnyMessage> = {
    write: send,
    releaseLock: () => {},
    close: () => queued.close(),
    abort: (reason) => queued.abort(reason),
    closed: queued.closed,
    ready: Promise.resolve(undefined),
    desiredSize: 1,
  };
  return Object.defineProperty(writable, "getWriter", { value: () => writer });
}

/** Messages as lines of JSON. A line that is none, or is too long, is answered with an error, and the next line is read. */
export function messageStream({
  input,
  write,
  sent,
  maxLineBytes = MAX_LINE_BYTES,
}: MessageStreamOptions): MessageStream {
  const open = new OpenRequests();
  /** Messages that are being written. */
  let underWay = 0;
  let finished = false;
  const begin = (message: AnyMessage, written: (error?: Error | null) => void): void => {
    if (finished) return written();
    sent?.(message);
    const line = `${JSON.stringify(message)}\n`;
    underWay += 1;
    open.sending(message);
    write(line, (error) => {
      underWay -= 1;
      open.sent(message);
      written(error);
    });
  };
  const send = (message: AnyMessage): Promise<void> =>
    new Promise((resolve, reject) => begin(message, (error) => (error ? reject(error) : resolve())));
  // The loss of stdout is heard where the next answer is written.
  const refuse = ({ code, message }: Refusal): void =>
    void send({ jsonrpc: "2.0", id: null, error: { code, message } }).catch(() => {});

  // The SDK takes no more once a message could not be written.
  let cancelled = false;
  const readable = new ReadableStream<AnyMessage>(
    {
      start(controller) {
        const splitter = createLineSplitter(
          {
            line(text) {
              if (text.trim() === "") return;
              const read = readMessage(text);
              if ("refusal" in read) refuse(read.refusal);
              else if (!cancelled) {
                open.came(read.message);
                controller.enqueue(read.message);
              }
            },
            oversize: (bytes) =>
              refuse({
                code: INVALID_REQUEST,
                message: `expected a line of at most ${maxLineBytes} bytes, got ${bytes}`,
              }),
          },
          { line: maxLineBytes, shorten: maxLineBytes },
        );
        let over = false;
        const end = (): void => {
          if (over) return;
          over = true;
          splitter.end();
          void open.answered(AFTER_CLOSE_MS, { prompts: false }).then(() => {
            if (!cancelled) controller.close();
          });
        };
        input.on("data", (chunk: Buffer) => {
          splitter.push(chunk);
          if ((controller.desiredSize ?? 0) <= 0) input.pause();
        });
        for (const event of ["end", "error", "close"] as const) input.once(event, end);
      },
      pull() {
        input.resume();
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: WAITING },
  );
  const sendNow = (message: AnyMessage): boolean => {
    if (underWay > 0) return false;
    // The loss of stdout is heard where the next message is written.
    begin(message, () => {});
    return true;
  };
  const answered = (ms: number): Promise<void> => open.answered(ms, { prompts: true });
  const finish = async (refusal: (method: string) => Refusal, ms: number): Promise<void> => {
    await answered(ms);
    for (const [id, method] of open.unanswered()) begin({ jsonrpc: "2.0", id, error: refusal(method) }, () => {});
    finished = true;
  };
  return { readable, writable: writableOf(send), sendNow, answered, finish };
}
