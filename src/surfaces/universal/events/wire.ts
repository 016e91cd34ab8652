import type { EventRecord } from "../../../log/contract.ts";

/** An event as clients get it: as stored, with how many numbers before it were folded, and its native line if wanted. */
export function wireJson(record: EventRecord, native: boolean): string {
  const extra: string[] = [];
  if (record.folded > 0) extra.push(`"folded":${record.folded}`);
  if (native && record.native !== undefined) extra.push(`"native":${JSON.stringify(record.native)}`);
  return extra.length === 0 ? record.json : `${record.json.slice(0, -1)},${extra.join(",")}}`;
}

/** The bytes of the same, where they are known. */
export function wireBytes({ folded, native: line, bytes }: EventRecord, native: boolean): Buffer[] | undefined {
  return !bytes || folded > 0 || (native && line !== undefined) ? undefined : [bytes];
}
