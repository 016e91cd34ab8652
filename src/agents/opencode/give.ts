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
  /** A prompt or command was not taken. */
  refuse(thrown: unknown): void;
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
    const { id, directory } = this.#given;
    await this.#tidying;
    if (!command) return this.#post(message, promptBody(prompt, message, choice, directory));
    this.#inBackground(`/session/${id}/command`, commandBody(command, prompt, message, choice, directory));
  }

  async compact(model: string | undefined): Promise<void> {
    const { id, follower } = this.#given;
    await this.#tidying;
    const ref = modelRef(model ?? (await this.#lastModel()) ?? "");
    if (ref) this.#inBackground(`/session/${id}/summarize`, { ...ref, auto: false });
    else follower.fail("agent_failed", "OpenCode does not say which model is to shorten the conversation");
  }

  /** Whether the program has a message is known only by its answer, or by a look at it. */
  async #post(message: string, body: Fields): Promise<void> {
    const { api, id, follower, signal } = this.#given;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        await api.ask("POST", `/session/${id}/prompt_async`, { body, limitMs: GIVE_MS, signal });
        return;
      } catch (thrown) {
        const isThere = await api.ask("GET", `/session/${id}/message/${message}`).then(
          () => true,
          () => false,
        );
        if (isThere) return follower.recover();
        if (thrown instanceof ApiRefusal || tries > 0) return this.#given.refuse(thrown);
      }
    }
  }

  /** A request that is answered only at the end of the turn. Its failure ends a turn that never began; the rest is told by events. */
  #inBackground(path: string, body: Fields): void {
    const { api, id, follower, signal } = this.#given;
    api.ask("POST", path, { body, limitMs: 0, signal }).then(
      () => void follower.check(id),
      (thrown: unknown) => {
        if (thrown instanceof ApiRefusal) this.#given.refuse(thrown);
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
