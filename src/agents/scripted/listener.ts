import type { LineEvents } from "../../host/contract.ts";
import { createNoiseMeter, type NoiseReport } from "../../host/noise.ts";
import type { OpenOptions } from "../contract.ts";
import { decodeLine } from "./decode.ts";

export interface Listener extends LineEvents {
  /** Reports what was counted and not yet reported. */
  flush(): void;
}

/** Turns lines into signals. What cannot be read is reported a few times and counted ever after. */
export function createListener(emit: OpenOptions["emit"], onReady: () => void, onLost: () => void): Listener {
  const noise = createNoiseMeter();
  const oversize = createNoiseMeter();

  const report = (found: NoiseReport | undefined): void => {
    if (found) emit({ type: "unparsed", ...found });
  };
  const flush = (): void => {
    report(noise.flush());
    report(oversize.flush());
  };

  return {
    flush,
    line(text) {
      const decoded = decodeLine(text);
      switch (decoded.what) {
        case "signal":
          // A turn's noise is told before its end, and not with the next turn.
          if (decoded.signal.type === "turn.finished") flush();
          emit(decoded.signal, text, decoded.child);
          return;
        case "ready":
          onReady();
          return;
        case "resume_lost":
          onLost();
          return;
        case "noise":
          report(noise.add({ reason: decoded.reason, text, bytes: Buffer.byteLength(text) }));
          return;
        case "blank":
          return;
      }
    },
    oversize(bytes) {
      report(oversize.add({ reason: "line_too_large", bytes }));
    },
  };
}
