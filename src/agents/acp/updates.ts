import { type Fields, fieldsIn, listIn, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { factsOf, modelsOf, modesOf, withConfig, withCurrent } from "./choices.ts";
import type { Decoder } from "./decode/decoder.ts";
import { commandsOf } from "./decode/facts.ts";
import type { Chooser } from "./set-choice.ts";
import type { ToldBySession } from "./told-facts.ts";

/** Words outside of a turn come in pieces: they are told when none has come for so long. */
const OUTSIDE_MS = 1_000;

const ACTIVITY: ReadonlySet<unknown> = new Set(["agent_message_chunk", "agent_thought_chunk", "tool_call"]);

interface UpdatesOptions {
  decoder: Decoder;
  chooser: Chooser;
  isGone(): boolean;
  say(signals: readonly Signal[]): void;
  /** The model has gone on. */
  onActivity(): void;
  told: ToldBySession;
}

/** Facts of its session that the program tells by itself. */
export class Updates {
  readonly #options: UpdatesOptions;
  #outside: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** How many came so far. */
  get count(): number {
    return this.#count;
  }

  take(params: Fields): void {
    const { decoder, chooser, say, onActivity, told } = this.#options;
    const about = textIn(params, "sessionId");
    // Sub-agents' sessions are told in the call that started them.
    if (chooser.session !== "" && about !== undefined && about !== chooser.session) return;
    const update = fieldsIn(params, "update");
    this.#count += 1;
    switch (update.sessionUpdate) {
      case "available_commands_update":
        return told.commands(commandsOf(update));
      case "config_option_update":
        chooser.choices = withConfig(chooser.choices, listIn(update, "configOptions"));
        return this.sayFacts();
      case "current_mode_update": {
        const mode = textIn(update, "currentModeId");
        if (mode !== undefined) chooser.choices = withCurrent(chooser.choices, "mode", mode);
        return this.sayFacts();
      }
      default:
        if (ACTIVITY.has(update.sessionUpdate)) onActivity();
        say(decoder.update(update));
        this.#expectOutside();
    }
  }

  /** The program told what can be chosen: `isNew`, of a new session. */
  choicesTold(isNew: boolean): void {
    const { chooser, told } = this.#options;
    const { choices } = chooser;
    const current = choices.mode?.current;
    const defaultMode = isNew && typeof current === "string" ? current : undefined;
    told.choices({ models: modelsOf(choices), modes: modesOf(choices) }, defaultMode);
  }

  /** A session that is being opened tells its facts when it is open. */
  sayFacts(): void {
    const { chooser, isGone, say } = this.#options;
    if (chooser.session === "" || isGone()) return;
    this.choicesTold(false);
    say([factsOf(chooser.choices)]);
  }

  /** Tells what was held back; nothing is expected any more. */
  close(): void {
    const { decoder, say } = this.#options;
    clearTimeout(this.#outside);
    say(decoder.flush());
  }

  #expectOutside(): void {
    const { decoder, say } = this.#options;
    clearTimeout(this.#outside);
    if (decoder.hasOutside) this.#outside = setTimeout(() => say(decoder.flush()), OUTSIDE_MS);
  }
}
