/** The content of a model's script; `parse-script.ts` makes it of YAML, tests may write it as it is. */
export interface Script {
  /** Milliseconds before each piece of a reply. */
  pace?: number;
  /** The answer to a request for a session's title. */
  title?: string;
  /** The names that a list of models shows. */
  models?: readonly string[];
  /** Steps by marker; `*` serves every prompt whose marker has none. */
  prompts: Readonly<Record<string, readonly Step[]>>;
}

/** One reply of the model: its content, how it ends, and what goes wrong before it works. */
export interface Step {
  /** Milliseconds before the first byte. */
  wait?: number;
  pace?: number;
  reasoning?: Words;
  text?: Words;
  tools?: readonly Tool[];
  /** The same in any order, instead of the three above. */
  parts?: readonly ({ reasoning: Words } | { text: Words } | { tool: Tool })[];
  /** Before the closing frames. */
  finish?: Pause;
  stop?: Stop;
  usage?: Partial<Record<(typeof USAGE)[number], number>>;
  fail?: Trouble | readonly Trouble[];
}

export interface Pause {
  /** Milliseconds. */
  delay?: number;
  /** Waits until the test calls `release` with this name. */
  hold?: string;
}

export type Chunk = string | (Pause & { text: string });
export type Words = string | readonly Chunk[];

export interface Tool extends Pause {
  name: string;
  /** An object; a text is sent as it is, for tools of free text and for input that is no JSON. */
  input?: Readonly<Record<string, unknown>> | string;
  id?: string;
}

export const STOPS = ["end", "tools", "length", "refusal", "stop_sequence", "pause", "context"] as const;
export type Stop = (typeof STOPS)[number];

export const USAGE = ["input", "cacheRead", "cacheWrite", "output", "reasoning"] as const;

/** Where in a reply trouble comes: before the first byte, after the opening, within the last part of a kind, before the end. */
export const PLACES = ["start", "open", "reasoning", "text", "tool", "end"] as const;
export type Place = (typeof PLACES)[number];

/** Exactly one of `status`, `cut`, `hang` and `error`. */
export interface Trouble {
  /** An HTTP answer instead of a reply. */
  status?: number;
  /** Seconds, for the header of the same name. */
  retryAfter?: number;
  headers?: Readonly<Record<string, string>>;
  /** The connection breaks there. */
  cut?: Place;
  /** With `cut`: the stream ends there as if it were whole. */
  clean?: boolean;
  /** Nothing more comes, and the connection stays open. */
  hang?: Place;
  /** An error within the stream, by its type. */
  error?: string;
  /** With `error`: where. */
  at?: Place;
  type?: string;
  code?: string;
  message?: string;
  /** How often, before the step is answered. Without it: always; in a list: once each. */
  times?: number;
}
