/** A command of a session, which becomes a prompt. */
export interface SlashCommand {
  name: string;
  description?: string;
  /** The mode it runs in, where it names one. */
  mode?: string;
  model?: string;
  /** Whether its author wants it run by a sub-agent. */
  subtask?: boolean;
  /** The text of the prompt. The words that the user adds replace `$1` and `$ARGUMENTS`. */
  template: string;
  /** The file of the project that defines it. */
  file?: string;
  /** An agent that has the command itself, and gets it as the user typed it. */
  agent?: string;
  /** The words that it takes, as the agent says it. */
  hint?: string;
  /** It is a skill of that agent. */
  skill?: boolean;
}
