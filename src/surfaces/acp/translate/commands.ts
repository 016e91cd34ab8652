import type { AgentInfo } from "../../../client/index.ts";

export const COMPACT = "compact";

export interface ShownCommand {
  name: string;
  description: string;
  hint?: string;
}

/** The slash commands of an agent, with the compaction that Parley gives it. */
export function shownCommands({
  commands = [],
  capabilities,
}: Pick<AgentInfo, "commands" | "capabilities">): ShownCommand[] {
  const own = commands.map(({ name, description, hint }) => ({
    name,
    description: description ?? name,
    ...(hint === undefined ? {} : { hint }),
  }));
  if (!capabilities.compact || own.some(({ name }) => name === COMPACT)) return own;
  return [...own, { name: COMPACT, description: "Replace the conversation by a summary of it" }];
}
