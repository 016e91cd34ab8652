/** Something a user does often, by its name. */
export interface SlashCommand {
  name: string;
  description?: string;
  /** The mode it runs in, where it names one. */
  mode?: string;
  model?: string;
  /** Whether its author wants it run by a sub-agent. */
  subtask?: boolean;
  /** What becomes of it: `$1` and `$ARGUMENTS` stand for what the user adds. */
  template: string;
  /** The file of the project that defines it. */
  file?: string;
  /** An agent that has the command itself, and gets it as the user typed it. */
  agent?: string;
}
