import { createHash } from "node:crypto";

const QUALITIES =
  "amber bold brisk calm clear crisp eager early fair fleet fresh gentle glad green keen kind light lively lucid mellow neat noble plain prime quick quiet ready sharp steady sunny swift tidy warm wise".split(
    " ",
  );
const THINGS =
  "anchor beacon birch bridge brook canyon cedar comet cove delta ember falcon field forge garden harbor hazel island lagoon lantern maple meadow mesa orchard otter pebble pine prairie quarry reef ridge river sparrow summit thicket valley willow".split(
    " ",
  );

/** Two words that stand for a session, the same each time. */
export function slugOf(id: string): string {
  const bytes = createHash("sha256").update(id).digest();
  const pick = (words: readonly string[], at: number): string => words[bytes.readUInt16BE(at) % words.length] ?? "";
  return `${pick(QUALITIES, 0)}-${pick(THINGS, 2)}`;
}
