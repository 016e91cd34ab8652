import { type Fields, isFields } from "../../core/json/fields.ts";
import type { ChildRef } from "../contract.ts";
import { type LineNoise, lineFields } from "../program/line-fields.ts";
import { childRef, isSpoken, type SpokenSignal, signalSchemas } from "./signal-schemas.ts";

export type Decoded =
  | { what: "signal"; signal: SpokenSignal; child?: ChildRef }
  | { what: "ready" }
  | { what: "resume_lost" }
  | { what: "rewound" }
  | { what: "rewind_failed"; reason: string }
  | { what: "blank" }
  | { what: "noise"; reason: NoiseReason };

export type NoiseReason = LineNoise | "unknown_type" | "bad_signal" | "bad_child";

const noise = (reason: NoiseReason): Decoded => ({ what: "noise", reason });

/** Reads one line of a program's output. */
export function decodeLine(line: string): Decoded {
  const read = lineFields(line);
  if (!("fields" in read)) return read.noise === undefined ? { what: "blank" } : noise(read.noise);
  const { fields: value } = read;
  if (value.type === undefined && value.child !== undefined) return decodeChild(value);
  if (value.type === "ready") return { what: "ready" };
  if (value.type === "resume_lost") return { what: "resume_lost" };
  if (value.type === "rewound") return { what: "rewound" };
  if (value.type === "rewind_failed") {
    const { reason = "it did not say why" } = value;
    return { what: "rewind_failed", reason: String(reason) };
  }
  return decodeSignal(value);
}

function decodeChild({ child, signal }: Fields): Decoded {
  const ref = childRef.safeParse(child);
  if (!ref.success) return noise("bad_child");
  if (!isFields(signal)) return noise("not_an_object");
  const decoded = decodeSignal(signal);
  return decoded.what === "signal" ? { ...decoded, child: ref.data } : decoded;
}

function decodeSignal(value: Fields): Decoded {
  const { type } = value;
  if (typeof type !== "string" || !isSpoken(type)) return noise("unknown_type");
  const parsed = signalSchemas[type].safeParse(value);
  return parsed.success ? { what: "signal", signal: parsed.data } : noise("bad_signal");
}
