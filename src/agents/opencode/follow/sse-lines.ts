const LF = 0x0a;
const DATA = /^data: ?/;

/** A longer line is not read: what it tells is asked for once more. */
const LONGEST = 32 * 1024 * 1024;

export interface SseLines {
  push(chunk: Buffer): void;
}

/** Cuts the bytes of an event stream into the texts of its events. `onLost` is called for an event that is too long. */
export function createSseLines(onData: (text: string) => void, onLost: () => void): SseLines {
  let pieces: Buffer[] = [];
  let length = 0;
  let isSkipping = false;
  let data: string[] = [];

  const onLine = (line: string): void => {
    if (DATA.test(line)) data.push(line.replace(DATA, ""));
    else if (line === "" && data.length > 0) {
      const text = data.join("\n");
      data = [];
      onData(text);
    }
  };
  const finish = (end: Buffer): void => {
    if (isSkipping) onLost();
    else
      onLine(
        Buffer.concat([...pieces, end])
          .toString("utf8")
          .replace(/\r$/, ""),
      );
    pieces = [];
    length = 0;
    isSkipping = false;
  };
  const keep = (piece: Buffer): void => {
    length += piece.length;
    isSkipping ||= length > LONGEST;
    if (isSkipping) pieces = [];
    else pieces.push(piece);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        finish(chunk.subarray(start, at));
        start = at + 1;
      }
      if (start < chunk.length) keep(Buffer.from(chunk.subarray(start)));
    },
  };
}
