import type { Random } from "../random.ts";

/** The chance of each fault: for each frame of an event stream, and for each request that only reads. */
export interface Rates {
  /** The frame never comes. */
  drop: number;
  /** The frame comes twice. */
  repeat: number;
  /** Frames of other messages overtake the frame. */
  swap: number;
  /** The stream pauses before the frame. */
  pause: number;
  /** The frame comes in pieces. */
  split: number;
  /** The connection breaks before, within or after the frame. */
  cut: number;
  /** The connection stays open, and nothing comes any more. */
  silence: number;
  /** The request is passed on late. */
  late: number;
  /** The request is not passed on: 502, or the connection breaks. */
  refuse: number;
}

export type Fault = keyof Rates;

export const CALM: Rates = {
  drop: 0,
  repeat: 0,
  swap: 0,
  pause: 0,
  split: 0,
  cut: 0,
  silence: 0,
  late: 0,
  refuse: 0,
};

/** The highest chance of each fault with which a client can still get on. */
const HIGHEST: Rates = {
  drop: 0.3,
  repeat: 0.3,
  swap: 0.3,
  pause: 0.1,
  split: 0.3,
  cut: 0.06,
  silence: 0.02,
  late: 0.3,
  refuse: 0.2,
};

/** Some faults often, some seldom, some not at all. */
export function anyRates(random: Random): Rates {
  const rates = { ...CALM };
  for (const fault of Object.keys(HIGHEST) as Fault[]) rates[fault] = HIGHEST[fault] * random.pick([0, 0.2, 1]);
  return rates;
}

/** One action of a faulty stream. */
export type Act =
  | { do: "write"; text: string }
  | { do: "pause"; ms: number }
  /** `before` is a part of a frame that still comes. */
  | { do: "cut"; how: "reset" | "end"; before: string }
  | { do: "silence" };

const LONGEST_PAUSE_MS = 120;
/** Frames of other messages that may overtake one. */
const FURTHEST = 6;

interface Held {
  frame: string;
  message: string;
  /** The frames of other messages that still overtake it. */
  left: number;
}

/** Chance that decides about the frames of one connection: the same frames and the same seed give the same acts. */
export class FrameFaults {
  readonly #random: Random;
  readonly #rates: () => Rates;
  readonly #tell: (fault: Fault) => void;
  #held: Held[] = [];

  constructor(random: Random, rates: () => Rates, tell: (fault: Fault) => void = () => {}) {
    this.#random = random;
    this.#rates = rates;
    this.#tell = tell;
  }

  get holds(): boolean {
    return this.#held.length > 0;
  }

  take(frame: string): Act[] {
    const message = messageOf(frame);
    const acts: Act[] = this.#release((held) => message === undefined || held.message === message);
    if (this.#strikes("pause")) acts.push({ do: "pause", ms: this.#random.between(1, LONGEST_PAUSE_MS) });
    if (this.#strikes("cut")) {
      const length = this.#random.pick([0, this.#random.between(1, frame.length - 1), frame.length]);
      acts.push({ do: "cut", how: this.#random.pick(["reset", "end"]), before: frame.slice(0, length) });
      return acts;
    }
    if (this.#strikes("silence")) return [...acts, { do: "silence" }];
    // The first words of a connection are not lost alone.
    if (!frame.includes('"server.connected"') && this.#strikes("drop")) return acts;
    const hold = (): void => {
      if (message !== undefined) this.#held.push({ frame, message, left: this.#random.between(1, FURTHEST) });
    };
    if (message !== undefined && this.#strikes("swap")) {
      hold();
      return acts;
    }
    acts.push(...this.#pieces(frame));
    for (const held of this.#held) held.left--;
    acts.push(...this.#release((held) => held.left <= 0));
    if (this.#strikes("repeat")) {
      if (message !== undefined && this.#random.chance(0.5)) hold();
      else acts.push(...this.#pieces(frame));
    }
    return acts;
  }

  /** Nothing may wait for frames that do not come. */
  flush(): Act[] {
    return this.#release(() => true);
  }

  #release(due: (held: Held) => boolean): Act[] {
    const out = this.#held.filter(due);
    this.#held = this.#held.filter((held) => !out.includes(held));
    return out.flatMap(({ frame }) => this.#pieces(frame));
  }

  #pieces(frame: string): Act[] {
    if (!this.#strikes("split")) return [{ do: "write", text: frame }];
    const at = this.#random.between(1, frame.length - 1);
    return [
      { do: "write", text: frame.slice(0, at) },
      { do: "pause", ms: 1 },
      { do: "write", text: frame.slice(at) },
    ];
  }

  #strikes(fault: Fault): boolean {
    const strikes = this.#random.chance(this.#rates()[fault]);
    if (strikes) this.#tell(fault);
    return strikes;
  }
}

interface Properties {
  messageID?: string;
  info?: { id?: string; role?: string };
  part?: { messageID?: string };
  tool?: { messageID?: string };
}

/** The message that a frame of OpenCode's event stream belongs to. */
export function messageOf(frame: string): string | undefined {
  const [, data = ""] = /^data: (.*)$/m.exec(frame) ?? [];
  try {
    const { properties = {} } = JSON.parse(data) as { properties?: Properties };
    const { info, part, tool, messageID } = properties;
    return messageID ?? part?.messageID ?? tool?.messageID ?? (info?.role === undefined ? undefined : info.id);
  } catch {
    return undefined;
  }
}
