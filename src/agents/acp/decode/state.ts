import type { Usage } from "../../../core/events/values.ts";
import type { Fields } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { ReadFile } from "./files.ts";

/** The code of notes with what the program said, or did, while no turn ran. */
export const OUTSIDE_TURN = "outside_turn";

/** A tool call of the program, as it was told so far. */
export interface Call {
  key: string;
  /** The turn in which it was first told. */
  turn: number;
  /** It was told in no turn: only its end is told on, as a note. */
  outside: boolean;
  /** All that updates told of it; each field is the newest. */
  told: Fields;
  /** Its name, once it was said. */
  name?: string;
  running: boolean;
  done: boolean;
  /** The output that was streamed. */
  output: string;
  /** A person or a rule refused it. */
  refused: boolean;
}

/** Pieces of a text that belong together. */
export interface OpenText {
  key: string;
  kind: "message" | "reasoning";
}

/** Where the program's words belong: to a turn, to the past that it tells again, or to nothing that is open. */
export type Place = "turn" | "past" | "left_out" | "outside";

export interface DecodeState {
  /** Makes ids unique over all starts of the program. */
  readonly prefix: string;
  readonly directory: string;
  readonly readFile: ReadFile;
  /** The output so far of a terminal that Parley runs for the program. */
  readonly terminalText: (id: string) => string | undefined;
  place: Place;
  /** Counts prompts, of the past, too. */
  turn: number;
  /** By the program's ids. */
  calls: Map<string, Call>;
  /** Calls that show a terminal of Parley's, by its id. */
  terminals: Map<string, Call>;
  /** The text that is open for each message, by the program's id; "" for words without one. */
  texts: Map<string, OpenText>;
  /** Counts texts. */
  items: number;
  /** Calls of the model's reply that is being told. When all are over, what follows is another reply. */
  step: Call[];
  /** Words of the user in a past that is being told. */
  asked: Fields[];
  /** Summaries of the turn's compactions that are being told piece by piece, by the program's ids. */
  summaries: Map<string, string>;
  /** Words that came outside of a turn, and were not told yet. */
  outside: string;
  /** The session's cost so far as the program told it, and as it was when the turn began. */
  cost?: number;
  costBefore?: number;
  /** Tokens of the turn's earlier answers, where it has several. */
  spent?: Usage;
  context?: { used: number; size?: number };
}

export function newDecodeState(
  facts: Pick<DecodeState, "prefix" | "directory" | "readFile" | "terminalText">,
): DecodeState {
  return {
    ...facts,
    place: "outside",
    turn: 0,
    calls: new Map(),
    terminals: new Map(),
    texts: new Map(),
    items: 0,
    step: [],
    asked: [],
    summaries: new Map(),
    outside: "",
  };
}

export type Say = (signal: Signal) => void;
