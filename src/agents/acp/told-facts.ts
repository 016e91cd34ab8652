import { firstBy, keepNewest } from "../../core/entries.ts";
import type { AgentCommand, AgentMode, AgentModel, Discovery } from "../contract.ts";

/** Facts are kept for so many directories. */
const KEPT = 64;

interface Told {
  commands?: AgentCommand[];
  models?: AgentModel[];
  modes?: AgentMode[];
}

/** Takes what a session tells that holds for others of its directory, too. */
export interface ToldBySession {
  commands(commands: AgentCommand[]): void;
  /** `defaultMode`: that of a new session, where this is one. A session that tells no models or no modes says nothing about them. */
  choices(lists: Pick<Discovery, "models" | "modes">, defaultMode: string | undefined): void;
}

/** The newest facts that sessions of a directory told of the agent there: a project may have commands, models and modes of its own. */
export class ToldFacts {
  readonly #directories = new Map<string, Told>();

  /** The place for the facts that a session of a directory tells. */
  from(directory: string): ToldBySession {
    return {
      commands: (commands) => this.#add(directory, { commands }),
      choices: ({ models, modes }, defaultMode) => {
        const first = defaultMode ?? this.#directories.get(directory)?.modes?.[0]?.id;
        this.#add(directory, {
          ...(models.length > 0 ? { models } : {}),
          ...(modes.length > 0 ? { modes: firstBy(modes, first) } : {}),
        });
      },
    };
  }

  /** A discovery as it is in a directory. It stays true: answers are kept by those who asked, and sessions tell more later. */
  within(directory: string, found: Discovery): Discovery {
    const told = (): Told | undefined => this.#directories.get(directory);
    return {
      ...found,
      tellsMore: true,
      get commands() {
        return told()?.commands ?? found.commands ?? [];
      },
      get models() {
        return told()?.models ?? found.models;
      },
      get modes() {
        return told()?.modes ?? found.modes;
      },
    };
  }

  #add(directory: string, facts: Told): void {
    keepNewest(this.#directories, directory, { ...this.#directories.get(directory), ...facts }, KEPT);
  }
}
