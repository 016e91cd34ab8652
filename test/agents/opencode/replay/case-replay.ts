import type { Reading, Want } from "../../../../src/agents/opencode/decode/state.ts";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../../src/core/json/fields.ts";
import { Replay } from "../../replay/replay.ts";

/** A case of the event stream: events, the answers of the REST API, and updates of the Agent Client Protocol. */
export interface Case {
  id: string;
  title: string;
  session: string;
  /** Messages that the REST API has. */
  messages?: Record<string, Fields>;
  /** The parents of sessions, by the REST API. */
  parents?: Record<string, string | null>;
  /** How often a message is asked for. */
  fetches?: number;
  steps: { in: Fields; out: Fields[] }[];
}

/** An open turn, and a server that answers as the case says. */
export class CaseReplay extends Replay {
  readonly translator: Translator;
  fetches = 0;
  readonly #case: Case;

  constructor(one: Case) {
    super();
    this.#case = one;
    this.translator = new Translator({ root: one.session, directory: "/lab/work" });
    this.root.prompt("msg_prompt");
    this.#perform(this.translator.prompt("a_prompt"));
  }

  read(text: string): void {
    this.#perform(this.translator.event(JSON.parse(text) as Fields));
  }

  /** The program works no more: the messages that it keeps are told, and the turn ends. */
  finish(): void {
    const { session, messages = {} } = this.#case;
    const isKept = (kept: Fields): boolean => Array.isArray(kept.parts) && fieldsIn(kept, "info").role === "assistant";
    const kept = Object.entries(messages).map(([id, one]) => ({
      info: { id, ...fieldsIn(one, "info") },
      parts: listIn(one, "parts").map((part, index) => ({ id: `${id}_${index}`, ...part })),
    }));
    this.#perform(this.translator.learn(session, kept.filter(isKept), true));
    this.#perform(this.translator.settle(session));
    for (const world of this.worlds()) world.fireTimers();
  }

  #perform({ said, wants }: Reading): void {
    for (const { signal, child } of said) this.say(signal, child);
    for (const want of wants) this.#answer(want);
  }

  #answer(want: Want): void {
    const { messages = {}, parents = {} } = this.#case;
    if (want.type === "message") {
      const { message } = want;
      const kept = messages[message] ?? this.#callerOf(message);
      this.fetches++;
      const named = kept?.info ? { ...kept, info: { id: message, ...fieldsIn(kept, "info") } } : kept;
      this.#perform(this.translator.fetched(want.session, message, named));
    }
    if (want.type === "session" && parents[want.session] !== undefined) {
      const info = { id: want.session, ...(parents[want.session] ? { parentID: parents[want.session] } : {}) };
      this.#perform(this.translator.found(want.session, info));
    }
  }

  /** The message of a call: only an agent makes calls. */
  #callerOf(message: string): Fields | undefined {
    const isCaller = this.#parts().some((part) => part.type === "tool" && part.messageID === message);
    return isCaller ? { info: { id: message, role: "assistant" }, parts: [] } : undefined;
  }

  #parts(): Fields[] {
    return this.#case.steps.map((step) => fieldsIn(fieldsIn(step.in, "properties"), "part"));
  }

  protected wrote(): void {}

  /** The names that clients of the protocol have for the calls of the case. */
  callId(key: string): string {
    return textIn(this.#parts().find((part) => part.id === key) ?? {}, "callID") ?? key;
  }
}
