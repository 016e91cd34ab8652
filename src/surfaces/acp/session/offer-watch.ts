import type { AgentInfo, ParleyClient } from "../../../client/index.ts";
import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { shownCommands } from "../translate/commands.ts";
import type { Update } from "../translate/updates.ts";

export interface OfferWatchOptions {
  client: ParleyClient;
  /** `info` is replaced by what is found. */
  session: { id: string; directory: string; isOver: boolean; state: SessionState; info: AgentInfo };
  give(update: Update): Promise<void>;
  logger: Logger;
}

/** Looks again at what a session's agent offers: many agents know the commands, models and modes of a project only when they work in it. */
export class OfferWatch {
  readonly #options: OfferWatchOptions;
  #isDue = true;
  #isLooking = false;
  /** The look that comes next: at what is known of the agent, or at its program, too. */
  #wanted: "known" | "program" | undefined;

  constructor(options: OfferWatchOptions) {
    this.#options = options;
  }

  take(event: ParleyEvent): void {
    // Commands, models and modes that the agent told in a turn are no events.
    if (event.type === "turn.ended" && this.#options.session.info.tellsMore) return this.#lookAgain("known");
    if (event.type === "session.updated") return this.#takeFacts(event);
    if (!this.#isDue || event.type !== "item.started" || event.data.item.step === undefined) return;
    this.#isDue = false;
    this.#lookAgain("program");
  }

  #takeFacts({ data: { nativeId, agent, model, mode, offers } }: EventOf<"session.updated">): void {
    const { info } = this.#options.session;
    // The agent was started, maybe anew; with its first words it has told what it has.
    if (nativeId !== undefined) this.#isDue = true;
    if (agent !== undefined && agent !== info.name) this.#lookAgain("program");
    else if (offers !== undefined || !isListed(info.models, model) || !isListed(info.modes, mode))
      this.#lookAgain("known");
  }

  #lookAgain(at: "known" | "program"): void {
    if (this.#wanted !== "program") this.#wanted = at;
    if (!this.#isLooking) void this.#lookWhileWanted();
  }

  async #lookWhileWanted(): Promise<void> {
    const { logger, session } = this.#options;
    this.#isLooking = true;
    while (this.#wanted) {
      const kept = this.#wanted === "known";
      this.#wanted = undefined;
      await this.#look(kept).catch((error: unknown) =>
        logger.debug({ err: error, session: session.id }, "what an agent offers was not read"),
      );
    }
    this.#isLooking = false;
  }

  async #look(kept: boolean): Promise<void> {
    const { client, session, give } = this.#options;
    const found = await client.agent(session.state.agent, session.directory, { kept });
    if (session.isOver) return;
    const before = JSON.stringify(shownCommands(session.info));
    session.info = renewed(session.info, found);
    const commands = shownCommands(session.info);
    if (JSON.stringify(commands) !== before) await give({ type: "commands", commands });
    // The client is told where what it knows differs.
    await give({ type: "choice" });
  }
}

function isListed(list: readonly { id: string }[], id: string | undefined): boolean {
  return id === undefined || list.some((one) => one.id === id);
}

/** The facts known of an agent after another look. One that could not be asked tells less than before. */
export function renewed(before: AgentInfo, found: AgentInfo): AgentInfo {
  if (found.name !== before.name) return found;
  const models = found.models.length > 0 ? found.models : before.models;
  const modes = found.modes.length > 0 ? found.modes : before.modes;
  return { ...before, ...found, models, modes };
}
