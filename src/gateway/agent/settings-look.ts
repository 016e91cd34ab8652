import type { Agent } from "../../agents/contract.ts";
import type { ProjectSetting } from "../../core/trust.ts";

/** A look that was begun ahead counts for so long. */
const AHEAD_MS = 500;

/** Looks for settings of a project, which an agent leaves out where the directory is not trusted. */
export class SettingsLook {
  readonly #agent: Agent;
  readonly #directory: string;
  #ahead: { at: number; settings: Promise<ProjectSetting[]> } | undefined;

  constructor(agent: Agent, directory: string) {
    this.#agent = agent;
    this.#directory = directory;
  }

  take(): Promise<ProjectSetting[]> {
    const ahead = this.#ahead;
    return ahead && performance.now() - ahead.at < AHEAD_MS ? ahead.settings : this.#look();
  }

  /** Begins the look that a prompt waits for: the disk is read while the prompt is stored. */
  begin(): void {
    const settings = this.#look();
    this.#ahead = { at: performance.now(), settings };
    settings.catch(() => {});
  }

  #look(): Promise<ProjectSetting[]> {
    return this.#agent.projectSettings?.(this.#directory) ?? Promise.resolve([]);
  }
}
