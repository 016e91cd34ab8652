import type { LineEvents } from "../../host/contract.ts";
import { createNoiseMeter, type NoiseReport } from "../../host/noise.ts";
import type { OpenOptions } from "../contract.ts";
import type { DecodeState, Said } from "./decode/state.ts";
import { type Decoded, decodeLine } from "./decode.ts";

export interface Listener extends LineEvents {
  state: DecodeState;
  /** Says what was found out otherwise than by a line. */
  say(said: readonly Said[]): void;
  /** Reports what was counted and not yet reported. */
  flush(): void;
}

type Heard = Pick<Decoded, "response" | "foreign" | "lost">;

/** Turns lines into signals. What cannot be read is reported a few times and counted ever after. */
export function createListener(state: DecodeState, emit: OpenOptions["emit"], hear: (heard: Heard) => void): Listener {
  const noise = createNoiseMeter();
  const oversize = createNoiseMeter();
  const shortened = createNoiseMeter();
  const report = (found: NoiseReport | undefined): void => {
    if (found) emit({ type: "unparsed", ...found });
  };
  const say = (said: readonly Said[], native?: string): void => {
    for (const { signal, child } of said) {
      // A turn's noise is told before its end, and not with the next turn.
      if (signal.type === "turn.finished" && !child) listener.flush();
      emit(signal, native, child);
    }
  };
  const listener: Listener = {
    state,
    say: (said) => say(said),
    flush() {
      report(noise.flush());
      report(oversize.flush());
      report(shortened.flush());
    },
    line(text, left = 0) {
      if (left > 0) report(shortened.add({ reason: "line_shortened", bytes: left }));
      const decoded = decodeLine(listener.state, text, Date.now());
      listener.state = decoded.state;
      if (decoded.noise) report(noise.add({ reason: decoded.noise, text, bytes: Buffer.byteLength(text) }));
      say(decoded.said, text);
      hear(decoded);
    },
    unreadable(text, bytes) {
      report(noise.add({ reason: "not_json", text, bytes }));
    },
    oversize(bytes) {
      report(oversize.add({ reason: "line_too_large", bytes }));
    },
  };
  return listener;
}
