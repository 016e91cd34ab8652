import type { Signal } from "../../core/ledger/signals.ts";
import type { Said } from "../program/read-lines.ts";

/** Tells signals in their order: those of a line with the line, all others at once. */
export class Telling {
  readonly #tell: (said: readonly Said[]) => void;
  /** The signals of the line that is being read. */
  #heard: Signal[] | undefined;

  constructor(tell: (said: readonly Said[]) => void) {
    this.#tell = tell;
  }

  readonly say = (signals: readonly Signal[]): void => {
    if (this.#heard) this.#heard.push(...signals);
    else if (signals.length > 0) this.#tell(signals.map((signal) => ({ signal })));
  };

  /** Signals that are said while a line is taken. */
  during(take: () => void): Said[] {
    const heard: Signal[] = [];
    this.#heard = heard;
    try {
      take();
    } finally {
      this.#heard = undefined;
    }
    return heard.map((signal) => ({ signal }));
  }
}
