import type { Discovery } from "../../agents/contract.ts";
import { ParleyError } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { BUILT_IN } from "./builtin.ts";
import { filesNamed, type Place, withOutputs } from "./insertions.ts";
import { projectCommands } from "./project-commands.ts";
import type { SlashCommand } from "./slash-command.ts";
import { fill } from "./template.ts";

export interface KnownAgent {
  name: string;
  discovery: Pick<Discovery, "commands">;
}

function ownCommands({ name: agent, discovery }: KnownAgent): SlashCommand[] {
  return (discovery.commands ?? []).map(({ name, description }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    template: `/${name} $ARGUMENTS`,
    agent,
  }));
}

/** Each name once: an agent's own command counts more than the project's, and that more than one that is built in. */
export async function commandsIn(directory: string, agents: readonly KnownAgent[]): Promise<SlashCommand[]> {
  const all = [...BUILT_IN, ...(await projectCommands(directory)), ...agents.toReversed().flatMap(ownCommands)];
  return [...new Map(all.map((command) => [command.name, command])).values()];
}

/** The command of that name, for a session of that agent. */
export async function findCommand(name: string, directory: string, agent: KnownAgent): Promise<SlashCommand> {
  const all = await commandsIn(directory, [agent]);
  const found = all.find((command) => command.name === name);
  if (found) return found;
  const have = all.map((command) => command.name).join(", ");
  throw new ParleyError("command_not_found", `no command ${name}; there are: ${have}`);
}

/** What a command becomes: the text for the agent, and the files that it names. */
export async function promptOf(command: SlashCommand, added: string, place: Place): Promise<PromptPart[]> {
  if (command.agent !== undefined) return [{ type: "text", text: `/${command.name} ${added}`.trim() }];
  const text = await withOutputs(fill(command.template, added), place);
  return [{ type: "text", text }, ...(await filesNamed(text, place.directory))];
}
