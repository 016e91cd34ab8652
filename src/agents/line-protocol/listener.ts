import type { LineEvents } from "../../host/contract.ts";
import { createNoiseMeter, type NoiseReport } from "../../host/noise.ts";
import type { OpenOptions } from "../contract.ts";
import type { Decoded } from "./decode.ts";

export interface Listener extends LineEvents {
  /** Resolves when lines that came before their decoder was loaded have been read. */
  readonly loaded: Promise<void>;
  /** Reports what was counted and not yet reported. */
  flush(): void;
}

export interface ListenerEvents {
  ready(): void;
  lost(): void;
  /** The decoder could not be loaded: nothing will be heard. */
  broken(error: unknown): void;
}

/** Turns lines into signals. What cannot be read is reported a few times and counted ever after. */
export function createListener(emit: OpenOptions["emit"], on: ListenerEvents): Listener {
  let decode: ((line: string) => Decoded) | undefined;
  const early: string[] = [];
  const noise = createNoiseMeter();
  const oversize = createNoiseMeter();
  const shortened = createNoiseMeter();

  const report = (found: NoiseReport | undefined): void => {
    if (found) emit({ type: "unparsed", ...found });
  };
  const flush = (): void => {
    report(noise.flush());
    report(oversize.flush());
    report(shortened.flush());
  };

  const hear = (text: string, decoded: Decoded): void => {
    switch (decoded.what) {
      case "signal":
        // A turn's noise is told before its end, and not with the next turn.
        if (decoded.signal.type === "turn.finished") flush();
        emit(decoded.signal, text, decoded.child);
        return;
      case "ready":
        on.ready();
        return;
      case "resume_lost":
        on.lost();
        return;
      case "noise":
        report(noise.add({ reason: decoded.reason, text, bytes: Buffer.byteLength(text) }));
        return;
      case "blank":
        return;
    }
  };

  // The decoder brings the schema library with it: it is loaded with the first agent, not at the server's start.
  const loaded = import("./decode.ts").then(({ decodeLine }) => {
    decode = decodeLine;
    for (const text of early.splice(0)) hear(text, decodeLine(text));
  }, on.broken);

  return {
    loaded,
    flush,
    line(text, left = 0) {
      if (left > 0) report(shortened.add({ reason: "line_shortened", bytes: left }));
      if (decode) hear(text, decode(text));
      else early.push(text);
    },
    unreadable(text, bytes) {
      report(noise.add({ reason: "not_json", text, bytes }));
    },
    oversize(bytes) {
      report(oversize.add({ reason: "line_too_large", bytes }));
    },
  };
}
