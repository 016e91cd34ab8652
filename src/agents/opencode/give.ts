import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Prompt, PromptPart } from "../../core/events/values.ts";
import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import type { AgentChoice } from "../contract.ts";
import { type Api, isItsNo } from "./api.ts";
import { type CalledCommand, calledCommand } from "./commands.ts";
import type { Follower } from "./follow/follower.ts";
import { commandBody, commandIn, modelRef, promptBody } from "./prompt-body.ts";
import { tidy } from "./tidy.ts";

const GIVE_MS = 60_000;
/** The pauses before a prompt is given once more whose answer was lost. */
const PAUSES_MS = [0, 100, 1_000];

/** A prompt on its way to the program. */
export interface Giving {
  prompt: Prompt;
  /** The id of its message. */
  message: string;
  /** The message before it, where the program does not take all of the prompt with its command. */
  beside?: { message: string; parts: PromptPart[] };
  /** Its command was called: the program may have done something that nobody can see. */
  isCalled?: true;
}

export interface Given {
  api: Api;
  id: string;
  follower: Follower;
  directory: string;
  /** Aborted when the session is over. */
  signal: AbortSignal;
}

/** Gives prompts, commands and compactions to the program. */
export class Giver {
  readonly #given: Given;
  #commands: Promise<ReadonlyMap<string, Fields>> | undefined;
  #tidying: Promise<void> = Promise.resolve();

  constructor(given: Given) {
    this.#given = given;
  }

  /** The turn was cut: what it left in the session must not disturb the next one. */
  turnWasCut(): void {
    const { api, id } = this.#given;
    this.#tidying = this.#tidying.then(() => tidy(api, id));
  }

  /** The command that a prompt calls, if it is one. */
  async command({ parts }: Prompt): Promise<CalledCommand | undefined> {
    const command = commandIn(parts);
    const known = command && (await this.#knownCommands()).get(command.name);
    return known && calledCommand(command, known);
  }

  /** Gives a prompt, or calls its command. The follower knows its message. Rejects where the program does not take it. */
  async prompt(giving: Giving, choice: AgentChoice, command: CalledCommand | undefined): Promise<void> {
    const { id, directory, follower } = this.#given;
    const { prompt, message, beside } = giving;
    await this.#tidying;
    if (!command) return this.#post(message, "prompt_async", promptBody(prompt, message, choice, directory));
    if (beside && follower.isWanted(message)) {
      follower.beside(message, beside.message);
      const body = promptBody({ id: prompt.id, parts: beside.parts }, beside.message, choice, directory);
      await this.#post(beside.message, "message", { ...body, noReply: true });
    }
    if (!follower.isWanted(message)) return;
    giving.isCalled = true;
    this.#inBackground(message, `/session/${id}/command`, commandBody(command, prompt, message, choice, directory));
  }

  /** Shortens the conversation, as the turn that `turn` names. */
  async compact(model: string | undefined, turn: string): Promise<void> {
    const { id, follower } = this.#given;
    await this.#tidying;
    const ref = modelRef(model ?? (await this.#lastModel()) ?? "");
    if (!ref) return this.refuse(turn, new Error("it does not say which model is to shorten the conversation"));
    if (follower.isWanted(turn)) this.#inBackground(turn, `/session/${id}/summarize`, { ...ref, auto: false });
  }

  /** A message, or a turn without one, does not come about. */
  refuse(message: string, thrown: unknown): void {
    const { follower, signal } = this.#given;
    if (!signal.aborted)
      follower.refused(message, "agent_failed", `OpenCode does not take the prompt: ${messageOf(thrown)}`);
  }

  /** Whether the program has a message is known only by its answer, or by a look at it. */
  async #post(message: string, verb: string, body: Fields): Promise<void> {
    const { api, id, follower, signal } = this.#given;
    let failure: unknown;
    for (const pause of PAUSES_MS) {
      if (pause > 0) await delay(pause);
      if (signal.aborted || !follower.isWanted(message)) return;
      try {
        await api.ask("POST", `/session/${id}/${verb}`, { body, limitMs: GIVE_MS, signal });
        return;
      } catch (thrown) {
        failure = thrown;
      }
      const isThere = await api.ask("GET", `/session/${id}/message/${message}`).then(
        () => true,
        () => false,
      );
      if (isThere) return follower.recover();
      if (isItsNo(failure)) break;
    }
    throw failure;
  }

  /** A request that is answered only at the end of the turn. Its failure ends a turn that never began; the rest is told by events. */
  #inBackground(message: string, path: string, body: Fields): void {
    const { api, id, follower, signal } = this.#given;
    const asked = api.ask("POST", path, { body, limitMs: 0, signal });
    follower.expect(asked);
    asked.then(
      () => void follower.check(id),
      (thrown: unknown) => {
        if (isItsNo(thrown)) this.refuse(message, thrown);
        else if (!signal.aborted) follower.recover();
      },
    );
  }

  #knownCommands(): Promise<ReadonlyMap<string, Fields>> {
    this.#commands ??= this.#given.api.list("GET", "/command").then(
      (commands) => new Map(commands.map((one) => [textIn(one, "name") ?? "", one])),
      () => {
        this.#commands = undefined;
        return new Map<string, Fields>();
      },
    );
    return this.#commands;
  }

  /** The model of the session's last turn. */
  async #lastModel(): Promise<string | undefined> {
    const { api, id } = this.#given;
    const model = fieldsIn(await api.fields("GET", `/session/${id}`).catch((): Fields => ({})), "model");
    const [provider, name] = [textIn(model, "providerID"), textIn(model, "id")];
    return provider === undefined || name === undefined ? undefined : `${provider}/${name}`;
  }
}
