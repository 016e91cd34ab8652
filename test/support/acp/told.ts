import { type Fields, fieldsIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import type { Message } from "./peer.ts";

/** Fields that a comparison may change. */
export type Open = Record<string, unknown>;

/** A tool call as a client knows it in the end, and the states that it went through. */
export type ToldCall = Open & { statuses: string[] };

/** All that a client was told, in the form in which it shows it: pieces are put together, ids are left out. */
export interface Told {
  words: string;
  thoughts: string;
  /** Of a conversation that is told again. */
  asked: string;
  /** The order of the things that were told. */
  order: string[];
  calls: ToldCall[];
  plans: unknown[];
  permissions: { call: Open; options: Fields[] }[];
  forms: Fields[];
  titles: string[];
  usage: Fields | undefined;
  modes: unknown[];
  config: unknown;
  commands: unknown;
  notices: Fields[];
  others: string[];
}

const KEPT = ["title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput"] as const;

/** The fields of a call that clients show; those that tell nothing are left out. */
function shown(call: Fields): Open {
  const entries = KEPT.flatMap((name) => (call[name] == null ? [] : [[name, call[name]] as const]));
  return Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function words(update: Fields): string {
  const content = fieldsIn(update, "content");
  return textIn(content, "text") ?? `(${String(content.type)})`;
}

class Reader {
  readonly told: Told = {
    words: "",
    thoughts: "",
    asked: "",
    order: [],
    calls: [],
    plans: [],
    permissions: [],
    forms: [],
    titles: [],
    usage: undefined,
    modes: [],
    config: undefined,
    commands: undefined,
    notices: [],
    others: [],
  };
  readonly #calls = new Map<string, ToldCall>();

  take({ method, params = {}, id }: Message): void {
    if (method === "session/update") return this.#update(fieldsIn(params, "update"));
    if (method === "session/request_permission") {
      this.#next("permission");
      const options = listIn(params, "options").map(({ kind, name }) => ({ kind, name }));
      this.told.permissions.push({ call: shown(fieldsIn(params, "toolCall")), options });
    } else if (method === "elicitation/create") {
      this.#next("form");
      this.told.forms.push({ message: params.message, schema: params.requestedSchema });
    } else if (method !== undefined) this.told.others.push(`${id === undefined ? "told" : "asked"} ${method}`);
  }

  #update(update: Fields): void {
    const { told } = this;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        told.words += words(update);
        return this.#next("words");
      case "agent_thought_chunk":
        told.thoughts += words(update);
        return this.#next("thoughts");
      case "user_message_chunk":
        told.asked += words(update);
        return this.#next("asked");
      case "tool_call":
      case "tool_call_update":
        return this.#call(update);
      case "plan":
        told.plans.push(update.entries);
        return this.#next("plan");
      case "session_info_update":
        if (update.title) told.titles.push(String(update.title));
        return;
      case "usage_update":
        told.usage = { used: update.used, size: update.size, ...(update.cost == null ? {} : { cost: update.cost }) };
        return;
      case "current_mode_update":
        told.modes.push(update.currentModeId);
        return;
      case "config_option_update":
        told.config = update.configOptions;
        return;
      case "available_commands_update":
        told.commands = update.availableCommands;
        return;
      case "notice":
        told.notices.push({ severity: update.severity, title: update.title, description: update.description });
        return;
      default:
        told.others.push(String(update.sessionUpdate));
    }
  }

  #call(update: Fields): void {
    const id = String(update.toolCallId);
    const known = this.#calls.get(id);
    const call: ToldCall = known ?? { statuses: [] };
    Object.assign(call, shown(update));
    const status = textIn(update, "status");
    if (status !== undefined && call.statuses.at(-1) !== status) call.statuses.push(status);
    if (known) return;
    this.#calls.set(id, call);
    this.told.calls.push(call);
    this.#next("call");
  }

  #next(what: string): void {
    if (this.told.order.at(-1) !== what || what === "call") this.told.order.push(what);
  }
}

/** What some messages of an agent tell its client. */
export function toldBy(messages: readonly Message[]): Told {
  const reader = new Reader();
  for (const message of messages) reader.take(message);
  return reader.told;
}
