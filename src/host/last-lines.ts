const LF = 0x0a;
const KEPT_LINES = 20;
const KEPT_BYTES = 2048;

export interface LastLines {
  push(chunk: Buffer): void;
  /** The last lines, oldest first. */
  lines(): string[];
}

/** Remembers the end of what a program said, in little memory however much it says. */
export function createLastLines(): LastLines {
  const ring: Buffer[] = [];
  let open: Buffer = Buffer.alloc(0);

  const keep = (bytes: Buffer): void => {
    const room = KEPT_BYTES - open.length;
    if (room > 0 && bytes.length > 0) open = Buffer.concat([open, bytes.subarray(0, room)]);
  };

  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        keep(chunk.subarray(start, at));
        ring.push(open);
        if (ring.length > KEPT_LINES) ring.shift();
        open = Buffer.alloc(0);
        start = at + 1;
      }
      keep(chunk.subarray(start));
    },
    lines(): string[] {
      const all = open.length > 0 ? [...ring, open] : ring;
      return all.slice(-KEPT_LINES).map((line) => line.toString("utf8").replace(/\r$/, ""));
    },
  };
}
