import type { Signal } from "../../core/ledger/signals.ts";
import type { LineEvents } from "../../host/contract.ts";
import { createNoiseMeter, type NoiseReport } from "../../host/noise.ts";
import type { ChildRef, OpenOptions } from "../contract.ts";

/** A signal, and the sub-agent that it is about. */
export interface Said {
  signal: Signal;
  child?: ChildRef;
}

/** The signals of one line; `noise` says why it could not be read. */
export interface Read {
  said: readonly Said[];
  noise?: string;
}

export interface LineReader extends LineEvents {
  /** Emits signals, with the line that caused them where there is one. */
  say(said: readonly Said[], native?: string): void;
  /** Reports the lines that were counted and not reported yet. */
  flush(): void;
}

/** Turns a program's lines into signals. Lines that cannot be read are reported a few times and counted from then on; `onNoise` hears each. */
export function readLines(
  read: (text: string, left: number) => Read,
  emit: OpenOptions["emit"],
  onNoise: (text: string) => void = () => {},
): LineReader {
  const noise = createNoiseMeter();
  const oversize = createNoiseMeter();
  const shortened = createNoiseMeter();
  const report = (found: NoiseReport | undefined): void => {
    if (found) emit({ type: "unparsed", ...found });
  };
  const flush = (): void => {
    for (const meter of [noise, oversize, shortened]) report(meter.flush());
  };
  const say = (said: readonly Said[], native?: string): void => {
    for (const { signal, child } of said) {
      // The noise of a turn is reported before its end, and not in the next turn.
      if (signal.type === "turn.finished" && !child) flush();
      emit(signal, native, child);
    }
  };
  /** No line may end the process, whatever reading it meets. */
  const reading = (text: string, left: number): Read => {
    try {
      return read(text, left);
    } catch {
      return { said: [], noise: "not_understood" };
    }
  };
  return {
    say,
    flush,
    line(text, left = 0) {
      if (left > 0) report(shortened.add({ reason: "line_shortened", bytes: left }));
      const { said, noise: reason } = reading(text, left);
      if (reason !== undefined) {
        onNoise(text);
        report(noise.add({ reason, text, bytes: Buffer.byteLength(text) }));
      }
      say(said, text);
    },
    unreadable(text, bytes) {
      onNoise(text);
      report(noise.add({ reason: "not_json", text, bytes }));
    },
    oversize(bytes) {
      report(oversize.add({ reason: "line_too_large", bytes }));
    },
  };
}
