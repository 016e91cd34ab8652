import { createHash } from "node:crypto";
import type { Reading } from "../harness/reader.ts";
import { percentile } from "../harness/stats.ts";

export interface ClientTally {
  /** One event: its place in the text that was read, and the time of the read. */
  frame(text: string, from: number, to: number, at: number): void;
  broke(): void;
}

interface Wanted {
  clients: number;
  warmUp: number;
  texts: boolean;
}

interface Delta {
  item: string;
  delta?: string;
  replace?: string;
}

interface WireEvent {
  seq: number;
  folded?: number;
  type: string;
  data: Delta & { item: { kind: string; role?: string; id: string; text?: string } };
}

const TYPE = '"type":"';

/** Counts the events of one turn at many clients, and tells when all clients have seen its end. */
export function createTally(wanted: Wanted, done: (reading: Reading) => void): { client(): ClientTally } {
  const samples: number[] = [];
  const sum = { events: 0, deltas: 0, bytes: 0, lost: 0, folded: 0, broken: 0 };
  const pieces = new Map<string, string>();
  const texts: Reading["texts"] = [];
  /** The events as they came, where their texts are wanted: they are read when the clock has stopped. */
  const kept: string[] = [];
  let waiting = wanted.clients;
  let endedAt = 0;

  function leave(at: number): void {
    waiting -= 1;
    endedAt = at;
    if (waiting > 0) return;
    for (const json of kept) addText(JSON.parse(json) as WireEvent);
    const times = { samples: samples.length, median: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
    done({ ...sum, ...times, endedAt, texts });
  }

  function addText(event: WireEvent): void {
    if (event.type === "item.delta") {
      const { item, delta, replace } = event.data as Delta;
      pieces.set(item, replace ?? (pieces.get(item) ?? "") + (delta ?? ""));
    }
    const { item } = event.data;
    if (event.type !== "item.completed" || item.role !== "assistant") return;
    const text = item.text ?? "";
    const sha256 = createHash("sha256").update(text).digest("hex");
    // Folded pieces do not arrive: then only the completed text can be judged.
    const piecesAgree = sum.folded > 0 || pieces.get(item.id) === text;
    pieces.delete(item.id);
    texts.push({ sha256, piecesAgree });
  }

  function client(): ClientTally {
    let last = 0;
    let seen = 0;
    let over = false;

    function count(seq: number, data: () => WireEvent): void {
      if (last > 0 && seq !== last + 1) {
        const folded = Math.min(data().folded ?? 0, seq - last - 1);
        sum.folded += folded;
        sum.lost += seq - last - 1 - folded;
      }
      last = seq;
      sum.events += 1;
    }

    return {
      broke() {
        if (over) return;
        over = true;
        sum.broken += 1;
        leave(endedAt);
      },
      frame(text, from, to, at) {
        const id = text.indexOf("id: ", from);
        if (id === -1 || id > to || over) return;
        const line = text.indexOf("\n", id);
        const start = line + "\ndata: ".length;
        const data = (): WireEvent => JSON.parse(text.slice(start, to)) as WireEvent;
        count(Number(text.slice(text.lastIndexOf(":", line) + 1, line)), data);
        sum.bytes += to - start;
        if (wanted.texts) kept.push(text.slice(start, to));
        const type = text.indexOf(TYPE, line) + TYPE.length;
        if (text.startsWith("item.delta", type)) {
          seen += 1;
          sum.deltas += 1;
          const stamp = text.indexOf(" t=", type);
          if (stamp === -1 || stamp > to || seen <= wanted.warmUp) return;
          samples.push((at - Number.parseFloat(text.slice(stamp + 3, stamp + 24))) / 1000);
        } else if (text.startsWith("turn.ended", type)) {
          over = true;
          leave(at);
        }
      },
    };
  }
  return { client };
}
