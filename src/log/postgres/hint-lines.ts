/** PostgreSQL refuses 8,000 bytes. */
const MAX_BYTES = 7_900;

/** Numbers of a session that were stored. */
export interface CommitHint {
  session: string;
  from: number;
  to: number;
}

/** A notification: who sends it, its number, and lines of a kind and a text. */
export interface Heard {
  sender: string;
  number: number;
  lines: { kind: string; text: string }[];
}

/** The kind of hints about commits; the text `*` stands for any session. */
export const COMMITS = "e";
export const ANY = "*";

/** The payloads that say all of it. Commits that do not fit into one become "any". */
export function toPayloads(
  sender: string,
  number: number,
  commits: readonly CommitHint[],
  others: readonly string[],
): string[] {
  const head = `${sender} ${number}`;
  const lines = commits.map(({ session, from, to }) => `${COMMITS} ${session} ${from} ${to}`);
  const all = bytes([head, ...lines]) <= MAX_BYTES ? lines : [`${COMMITS} ${ANY}`];
  const payloads: string[][] = [[head]];
  for (const line of [...all, ...others]) {
    const current = payloads.at(-1) ?? [];
    if (bytes([...current, line]) <= MAX_BYTES) current.push(line);
    else payloads.push([head, line]);
  }
  return payloads.map((payload) => payload.join("\n"));
}

function bytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

export function readPayload(payload: string): Heard | undefined {
  const [head = "", ...rest] = payload.split("\n");
  const match = /^(\S+) (\d+)$/.exec(head);
  if (!match) return undefined;
  const lines = rest.map((line) => {
    const at = line.indexOf(" ");
    return at < 0 ? { kind: line, text: "" } : { kind: line.slice(0, at), text: line.slice(at + 1) };
  });
  return { sender: match[1] ?? "", number: Number(match[2]), lines };
}

/** The commit that a line tells of; undefined for "any", and for what a newer Parley says. */
export function readCommit(text: string): CommitHint | undefined {
  const match = /^(\S+) (\d+) (\d+)$/.exec(text);
  return match ? { session: match[1] ?? "", from: Number(match[2]), to: Number(match[3]) } : undefined;
}
