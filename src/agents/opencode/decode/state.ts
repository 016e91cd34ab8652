import type { Failure } from "../../../core/events/values.ts";
import type { Fields } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { ChildRef } from "../../contract.ts";
import type { Said } from "../../program/read-lines.ts";

/** A fact that only the program's REST API knows. */
export type Want =
  /** A message of which something came before its role: answered by `Translator.fetched`. */
  | { type: "message"; session: string; message: string }
  /** A session of which something came before its beginning: answered by `Translator.found`. */
  | { type: "session"; session: string }
  /** Whether the session still works, and all that it said: answered by `Translator.learn` and `Translator.settle`. */
  | { type: "check"; session: string };

/** A text, a reasoning or a tool call of a message, as far as it was told. */
export interface Part {
  readonly id: string;
  /** Its key for the ledger. It changes when the part turns out to be of another kind. */
  key: string;
  type: string;
  /** Of a text: what was said. Of a call: the output that was said. */
  told: string;
  /** Pieces of it were missed: only its whole text is told. */
  gap: boolean;
  /** It will not change any more. */
  over: boolean;
  /** Of a call: how far it is (see `RANKS`), the id that asks name it by, its input, and the facts that were told last. */
  rank: number;
  call?: string;
  tool?: string;
  input?: unknown;
  facts?: string;
  /** Of a call that changes a file: the diff that was shown when the program asked for it. */
  diff?: string;
}

export interface Message {
  readonly id: string;
  role?: "user" | "assistant" | undefined;
  info: Fields;
  readonly parts: Map<string, Part>;
  /** Events that wait for its role, or for the message before it. */
  held: Fields[];
  /** It is being fetched. */
  asked: boolean;
  /** A later message of the agent was known when it was last fetched: the answer is its last state. */
  followed: boolean;
  /** It was fetched in vain: its content is dropped until its role is told. */
  missed: boolean;
  /** Pieces of it were missed. */
  gap: boolean;
  begun: boolean;
  over: boolean;
}

export interface Turn {
  /** Its key for the ledger: the id of the message that began it. */
  readonly id: string;
  /** The messages that Parley gave it. Their echoes are not told. */
  readonly prompts: Set<string>;
  /** Calls that Parley refused before they were made. */
  readonly refusedCalls: Set<string>;
  failure?: Failure;
  aborted: boolean;
  /** A person refused something without saying more, which ends the turn. */
  refused: boolean;
  /** The program has said that it works on it. */
  worked: boolean;
  /** The conversation was just shortened: the program says the user's words once more by itself. */
  compacted: boolean;
}

/** A permission or a question that the program waits for. */
export interface OpenAsk {
  readonly id: string;
  readonly session: string;
  readonly kind: "permission" | "question";
  readonly request: Fields;
  /** It was told; before that, the call that it is about is being fetched. */
  told: boolean;
}

/** One of the program's sessions: the session itself, or a sub-agent's. */
export interface Branch {
  readonly id: string;
  /** Absent: it is the session itself. */
  parent?: string;
  title?: string;
  agent?: string;
  /** The call that started it, by its key for the ledger. */
  call?: string;
  /** Messages up to this one are of the past. */
  floor: string;
  turn?: Turn | undefined;
  /** A turn of it is over. */
  ended?: true;
  readonly messages: Map<string, Message>;
  /** The last failure that was told: the program tells some of them once more. */
  lastFailure?: string;
  /** The retry and the plan that were told last. */
  status?: string;
  plan?: string;
}

/** The signals and wants of one input. */
export class Reading {
  readonly said: Said[] = [];
  readonly wants: Want[] = [];

  say(branch: Branch, signal: Signal, root: string): void {
    const child = childRef(branch, root);
    this.said.push(child ? { signal, child } : { signal });
  }

  want(want: Want): void {
    this.wants.push(want);
  }
}

function childRef(branch: Branch, root: string): ChildRef | undefined {
  const { id, parent, title, agent, call } = branch;
  if (parent === undefined) return undefined;
  return {
    id,
    ...(parent === root ? {} : { parent }),
    ...(title === undefined ? {} : { title }),
    ...(agent === undefined ? {} : { agent }),
    ...(call === undefined ? {} : { call }),
  };
}

export function newMessage(id: string): Message {
  const empty = { info: {}, parts: new Map<string, Part>(), held: [] };
  return { id, ...empty, asked: false, followed: false, missed: false, gap: false, begun: false, over: false };
}

export function newPart(id: string, type: string, gap: boolean): Part {
  return { id, key: id, type, told: "", gap, over: false, rank: -1 };
}
