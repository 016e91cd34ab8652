import type { AgentInfo, ParleyClient } from "../../../client/index.ts";
import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { within } from "../../../core/within.ts";
import { shownCommands } from "../translate/commands.ts";
import type { Update } from "../translate/updates.ts";

export interface OfferWatchOptions {
  client: ParleyClient;
  /** `info` is replaced by what is found. */
  session: { id: string; directory: string; isOver: boolean; state: SessionState; info: AgentInfo };
  give(update: Update): Promise<void>;
  logger: Logger;
}

/** How long the end of a turn waits for what its agent has told besides. The server knows it by then. */
const BEFORE_END_MS = 1_000;

/** Work that is done once more, for all who wanted it while it was done. */
class Renewal {
  readonly #work: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when work is done that has begun from now on. */
  again(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#work();
    });
    this.#last = this.#next;
    return this.#next;
  }
}

/** Looks again at what a session's agent offers: many agents know the commands, models and modes of a project only when they work in it. */
export class OfferWatch {
  readonly #options: OfferWatchOptions;
  #isDue = true;
  readonly #known = new Renewal(() => this.#look({ kept: true }));
  readonly #program = new Renewal(() => this.#look({ kept: false }));

  constructor(options: OfferWatchOptions) {
    this.#options = options;
  }

  take(event: ParleyEvent): void {
    if (event.type === "session.updated") return this.#takeFacts(event);
    if (!this.#isDue || event.type !== "item.started" || event.data.item.step === undefined) return;
    this.#isDue = false;
    void this.#program.again();
  }

  /** Tells what the agent has told in the turn that is about to end: its commands, models and modes are no events. */
  async beforeEnd(): Promise<void> {
    if (this.#options.session.info.tellsMore) await within(this.#known.again(), BEFORE_END_MS);
  }

  #takeFacts({ data: { nativeId, agent, model, mode, offers } }: EventOf<"session.updated">): void {
    const { info } = this.#options.session;
    // The agent was started, maybe anew; with its first words it has told what it has.
    if (nativeId !== undefined) this.#isDue = true;
    if (agent !== undefined && agent !== info.name) void this.#program.again();
    else if (offers !== undefined || !isListed(info.models, model) || !isListed(info.modes, mode))
      void this.#known.again();
  }

  async #look(kept: { kept: boolean }): Promise<void> {
    const { client, session, logger } = this.#options;
    try {
      const found = await client.agent(session.state.agent, session.directory, kept);
      if (session.isOver) return;
      if (found.name === session.state.agent) await this.#tell(found);
      // Another agent serves the session by now.
      else void this.#program.again();
    } catch (error) {
      logger.debug({ err: error, session: session.id }, "what an agent offers was not read");
    }
  }

  async #tell(found: AgentInfo): Promise<void> {
    const { session, give } = this.#options;
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
