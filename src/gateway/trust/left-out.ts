import { type ProjectSetting, shownSettings, trustCommand } from "../../core/trust.ts";
import { within } from "../../core/within.ts";

/** The code of the note. */
export const UNTRUSTED = "untrusted_project";

/** A project on a slow disk does not hold up its turn. */
const LOOK_MS = 2_000;

export interface Looks {
  /** It was started without the project's settings. */
  untrusted: boolean;
  projectSettings(): Promise<ProjectSetting[]>;
}

export function leftOutText(directory: string, settings: readonly ProjectSetting[]): string {
  const left = `The agent runs without this project's own settings, because the directory is not trusted: ${shownSettings(settings)}.`;
  return `${left} To use them: ${trustCommand(directory)}`;
}

/** Says once for each start of an agent what it left out, and not the same twice in a row. */
export class LeftOut {
  private readonly directory: string;
  private generation = 0;
  private said = "";

  constructor(directory: string) {
    this.directory = directory;
  }

  async note(agent: Looks, generation: number): Promise<string | undefined> {
    if (generation === this.generation) return undefined;
    this.generation = generation;
    if (!agent.untrusted) {
      this.said = "";
      return undefined;
    }
    const found = await within(
      agent.projectSettings().catch(() => []),
      LOOK_MS,
    );
    const settings = found?.value ?? [{ path: "what is in it could not be looked through" }];
    if (settings.length === 0) return undefined;
    const text = leftOutText(this.directory, settings);
    if (text === this.said) return undefined;
    this.said = text;
    return text;
  }
}
