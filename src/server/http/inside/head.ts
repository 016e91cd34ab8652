export interface Head {
  status: number;
  headers: [string, string][];
  /** Bytes of the head, its empty line included. */
  length: number;
}

const END = "\r\n\r\n";

/** The head of a response; undefined while some of it is missing. */
export function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(END);
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers, length: end + END.length };
}
