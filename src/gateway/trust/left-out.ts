import { type ProjectSetting, shownSettings, trustCommand } from "../../core/trust.ts";
import { within } from "../../core/within.ts";

/** The code of the note. */
export const UNTRUSTED = "untrusted_project";

/** The longest look at a project: a slow disk must not hold up the turn. */
const LOOK_MS = 2_000;

const UNREADABLE: readonly ProjectSetting[] = [{ path: "its settings could not be read" }];

export interface Looks {
  /** The agent was started without the project's settings. */
  untrusted: boolean;
  settings: { take(): Promise<ProjectSetting[]> };
}

function leftOutText(directory: string, settings: readonly ProjectSetting[]): string {
  const left = `The agent runs without this project's own settings, because the directory is not trusted: ${shownSettings(settings)}.`;
  return `${left} To use them: ${trustCommand(directory)}`;
}

/** The settings that a project has for an agent, looked for in bounded time. */
export async function lookThrough(agent: Looks): Promise<readonly ProjectSetting[]> {
  const found = await within(
    agent.settings.take().catch(() => UNREADABLE),
    LOOK_MS,
  );
  return found?.value ?? UNREADABLE;
}

/** The settings that each start of an agent left out, to be said once, and not again as long as they are the same. */
export class LeftOut {
  private readonly directory: string;
  private generation = 0;
  private said = "";

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The note on a start; undefined when there is nothing to say, or nothing new. */
  async look(agent: Looks, generation: number): Promise<string | undefined> {
    if (generation === this.generation) return undefined;
    if (!agent.untrusted) {
      this.told("", generation);
      return undefined;
    }
    const settings = await lookThrough(agent);
    const text = settings.length === 0 ? "" : leftOutText(this.directory, settings);
    if (text !== "" && text !== this.said) return text;
    // Each start is looked at once: a look at the disk before every prompt would keep the agent waiting. What was said stays said, also when it was gone meanwhile.
    this.generation = generation;
    return undefined;
  }

  /** Remembers that a note was given. A note that its turn did not come to is given by the next turn. */
  told(text: string, generation: number): void {
    this.said = text;
    this.generation = generation;
  }
}
