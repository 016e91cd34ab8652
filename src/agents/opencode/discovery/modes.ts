import { type Fields, present, textIn } from "../../../core/json/fields.ts";
import type { AgentCommand, AgentMode, Subagent } from "../../contract.ts";

/** The modes of an OpenCode that cannot be asked. */
export const USUAL_MODES: AgentMode[] = [
  { id: "build", description: "The default agent." },
  { id: "plan", description: "It looks and plans, and changes no file." },
];

/**
 * The agents among which a person chooses; those that only work for others are none of them. The program lists the one first that it takes by itself, and that is
 * the first here. Those of the program that do its own work are hidden.
 */
export function modesOf(agents: readonly Fields[]): AgentMode[] {
  return agents.flatMap((agent): AgentMode[] => {
    const id = textIn(agent, "name");
    if (!id || agent.mode === "subagent") return [];
    const hidden = agent.hidden === true ? (true as const) : undefined;
    return [{ id, ...present({ description: textIn(agent, "description"), hidden }) }];
  });
}

/** The agents that only work for others. */
export function subagentsOf(agents: readonly Fields[]): Subagent[] {
  return agents.flatMap((agent): Subagent[] => {
    const name = textIn(agent, "name");
    if (!name || agent.mode !== "subagent" || agent.hidden === true) return [];
    return [{ name, ...present({ description: textIn(agent, "description") }) }];
  });
}

/** Commands of the program, of the user, of servers of tools, and skills. The hint names the arguments that a command's text has places for. */
export function commandsOf(commands: readonly Fields[]): AgentCommand[] {
  return commands.flatMap((command): AgentCommand[] => {
    const name = textIn(command, "name");
    if (!name) return [];
    const hints = Array.isArray(command.hints) ? command.hints.filter((hint) => typeof hint === "string") : [];
    const facts = { description: textIn(command, "description"), hint: hints.join(" ") || undefined };
    return [{ name, ...present({ ...facts, skill: command.source === "skill" || undefined }) }];
  });
}
