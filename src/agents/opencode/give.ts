import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import type { AgentChoice } from "../contract.ts";
import { type Api, ApiRefusal } from "./api.ts";
import { type CalledCommand, calledCommand } from "./commands.ts";
import type { Follower } from "./follow/follower.ts";
import { commandBody, commandIn, modelRef, promptBody } from "./prompt-body.ts";
import { tidy } from "./tidy.ts";

const GIVE_MS = 60_000;

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

  /** Gives a prompt, or calls its command. `message` is the id of its message, which the follower knows. */
  async prompt(
    prompt: Prompt,
    message: string,
    choice: AgentChoice,
    command: CalledCommand | undefined,
  ): Promise<void> {
    const { id, directory, follower } = this.#given;
    await this.#tidying;
    if (!follower.isWanted(message)) return;
    if (!command) return this.#post(message, promptBody(prompt, message, choice, directory));
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
  async #post(message: string, body: Fields): Promise<void> {
    const { api, id, follower, signal } = this.#given;
    for (let tries = 0; !signal.aborted && follower.isWanted(message); tries++) {
      try {
        await api.ask("POST", `/session/${id}/prompt_async`, { body, limitMs: GIVE_MS, signal });
        return;
      } catch (thrown) {
        const isThere = await api.ask("GET", `/session/${id}/message/${message}`).then(
          () => true,
          () => false,
        );
        if (isThere) return follower.recover();
        if (thrown instanceof ApiRefusal || tries > 0) return this.refuse(message, thrown);
      }
    }
  }

  /** A request that is answered only at the end of the turn. Its failure ends a turn that never began; the rest is told by events. */
  #inBackground(message: string, path: string, body: Fields): void {
    const { api, id, follower, signal } = this.#given;
    const asked = api.ask("POST", path, { body, limitMs: 0, signal });
    follower.expect(asked);
    asked.then(
      () => void follower.check(id),
      (thrown: unknown) => {
        if (thrown instanceof ApiRefusal) this.refuse(message, thrown);
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
