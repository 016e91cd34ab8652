import type { AgentInfo, ParleyClient } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import { shownCommands } from "../translate/commands.ts";
import type { Update } from "../translate/updates.ts";

export interface CommandWatchOptions {
  client: ParleyClient;
  session: { id: string; directory: string; info: AgentInfo };
  give(update: Update): Promise<void>;
  logger: Logger;
}

/** Looks again at the commands of a session's agent: many agents know those of a project only when they work in it. */
export class CommandWatch {
  readonly #options: CommandWatchOptions;
  #isDue = true;

  constructor(options: CommandWatchOptions) {
    this.#options = options;
  }

  take(event: ParleyEvent): void {
    // The agent was started, maybe anew; with its first words it has told what it has.
    if (event.type === "session.updated" && event.data.nativeId !== undefined) this.#isDue = true;
    if (!this.#isDue || event.type !== "item.started" || event.data.item.step === undefined) return;
    this.#isDue = false;
    const { logger, session } = this.#options;
    this.#look().catch((error: unknown) => logger.debug({ err: error, session: session.id }, "commands were not read"));
  }

  async #look(): Promise<void> {
    const { client, session, give } = this.#options;
    const { info, directory } = session;
    const { commands } = await client.agent(info.name, directory);
    const before = JSON.stringify(shownCommands(info));
    if (commands) info.commands = commands;
    const now = shownCommands(info);
    if (JSON.stringify(now) !== before) await give({ type: "commands", commands: now });
  }
}
