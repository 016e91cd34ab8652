import { get } from "node:http";
import { type Heard, heard, Passed } from "./paced.ts";

const LATE_MS = 180_000;

/** The meaning of an event for one who counts the pieces of an answer. */
export interface Piece {
  text?: string;
  /** The turn is over. */
  end?: boolean;
}

export interface Answering {
  /** Pieces of the whole answer. */
  pieces: number;
  /** When the model wrote them. */
  sent: Passed;
  /** Gives the prompt. */
  begin(): Promise<unknown>;
}

export interface Listening extends Answering {
  /** The event stream. */
  url: string;
  read(data: string): Piece | undefined;
}

/** One turn, from its prompt to its end: `open` passes the pieces on, and is told when enough was heard. */
export async function hearTurn(
  { pieces, sent, begin }: Answering,
  open: (take: (piece: Piece, now: number) => void, fail: (why: string) => void) => Promise<() => void>,
): Promise<Heard> {
  sent.times.clear();
  const came = new Passed();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (why: string): void =>
    reject(new Error(`expected ${pieces} pieces of an answer, got ${came.times.size}: ${why}`));
  const late = setTimeout(() => fail(`not within ${LATE_MS} ms`), LATE_MS);
  const take = ({ text, end }: Piece, now: number): void => {
    if (text !== undefined) came.note(text, now);
    if (!end) return;
    if (came.times.size === pieces) resolve();
    else fail("the turn was over");
  };
  const close = await open(take, fail);
  try {
    const began = performance.now();
    await Promise.all([begin(), promise]);
    return heard(sent, came, began);
  } finally {
    clearTimeout(late);
    close();
  }
}

export interface StreamEars {
  /** The data of one event, and when it came. */
  data(text: string, now: number): void;
  fail(why: string): void;
}

/** Reads an event stream until the answer is called; resolves when it is open. */
export function openStream(url: string, { data, fail }: StreamEars): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>();
  let rest = "";
  const request = get(url, { agent: false }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      const now = performance.now();
      const frames = (rest + text).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const found = /^data: ?(.*)$/m.exec(frame)?.[1];
        if (found !== undefined) data(found, now);
      }
    });
    response.once("close", () => fail("the stream ended"));
    resolve(() => request.destroy());
  });
  request.once("error", (error) => {
    reject(error);
    fail(error.message);
  });
  return promise;
}

/** Follows one turn as a client of an event stream does. */
export function hear({ url, read, ...turn }: Listening): Promise<Heard> {
  return hearTurn(turn, (take, fail) =>
    openStream(url, {
      data(text, now) {
        const piece = read(text);
        if (piece) take(piece, now);
      },
      fail,
    }),
  );
}
