import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { Replay } from "./replay.ts";

const LONGEST = 240;

/** Volatile and repeated things are left out, deltas of one item put together, so that a person can read it. */
export function compact(events: readonly ParleyEvent[]): string[] {
  const lines: string[] = [];
  let delta: { item: string; field: string; text: string; pieces: number } | undefined;
  const flush = (): void => {
    if (delta) lines.push(`  item.delta ${delta.item} ${delta.field} ${quote(delta.text)} (${delta.pieces})`);
    delta = undefined;
  };
  for (const event of events) {
    if (event.type === "item.delta" && event.data.delta !== undefined) {
      const { item, field, delta: text } = event.data;
      if (delta?.item !== item || delta.field !== field) flush();
      delta = { item, field, text: (delta?.text ?? "") + text, pieces: (delta?.pieces ?? 0) + 1 };
      continue;
    }
    flush();
    const indent = event.turn === undefined || event.type.startsWith("turn.") ? "" : "  ";
    lines.push(`${indent}${event.type} ${JSON.stringify(event.data, cut)}`);
  }
  flush();
  return lines;
}

const quote = (text: string): string => JSON.stringify(text, cut);

function cut(key: string, value: unknown): unknown {
  if (key === "duration") return undefined;
  if (typeof value !== "string" || value.length <= LONGEST) return value;
  return `${value.slice(0, LONGEST)}… (${value.length})`;
}

/** All that a recording becomes, as the golden file holds it. */
export function compactReplay(played: Replay): string {
  const parts = [...compact(played.root.events)];
  for (const { ref, world } of played.children.values()) {
    parts.push("", `sub-agent ${JSON.stringify(ref)}`, ...compact(world.events));
  }
  if (played.noise.length > 0) parts.push("", `not read: ${played.noise.join(", ")}`);
  return `${parts.join("\n")}\n`;
}
