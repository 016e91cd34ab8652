import type { Discovery } from "../../agents/contract.ts";
import { ParleyError } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { present } from "../../core/json/fields.ts";
import { shownSettings, trustCommand } from "../../core/trust.ts";
import { BUILT_IN } from "./builtin.ts";
import { filesNamed, type Place, withOutputs } from "./insertions.ts";
import { projectCommands } from "./project-commands.ts";
import type { SlashCommand } from "./slash-command.ts";
import { fill, shellsIn } from "./template.ts";

export interface KnownAgent {
  name: string;
  discovery: Pick<Discovery, "commands">;
}

function ownCommands({ name: agent, discovery }: KnownAgent): SlashCommand[] {
  return (discovery.commands ?? []).map(({ name, description, hint, skill }) =>
    present({ name, description, template: `/${name} $ARGUMENTS`, agent, hint, skill }),
  );
}

/** The commands of a directory, each name once: an agent's command replaces the project's, which replaces a built-in one. */
export async function commandsIn(directory: string, agents: readonly KnownAgent[]): Promise<SlashCommand[]> {
  const all = [...BUILT_IN, ...(await projectCommands(directory)), ...agents.toReversed().flatMap(ownCommands)];
  return [...new Map(all.map((command) => [command.name, command])).values()];
}

/** The command of that name, for a session of that agent. The refusal of another agent's command names that agent. */
export async function findCommand(
  name: string,
  directory: string,
  agent: KnownAgent,
  others: () => Promise<KnownAgent[]>,
): Promise<SlashCommand> {
  const all = await commandsIn(directory, [agent]);
  const found = all.find((command) => command.name === name);
  if (found) return found;
  const owner = (await others()).find(({ discovery }) => discovery.commands?.some((command) => command.name === name));
  const whose = owner && `/${name} is a command of agent ${owner.name}, and this session is one of ${agent.name}`;
  const have = `there are: ${all.map((command) => command.name).join(", ")}`;
  const message = whose ? `${whose}: begin a session with ${owner.name} for it` : `no command ${name}; ${have}`;
  throw new ParleyError("command_not_found", message);
}

/** Refuses a project's command that runs shell commands, for a project that is not trusted. */
function assertRunsNothing({ name, file }: SlashCommand, filled: string, directory: string): void {
  const shells = shellsIn(filled);
  if (file === undefined || shells.length === 0) return;
  const runs = shownSettings([{ path: file, keys: shells }]);
  const message = `command ${name} runs shell commands of the project, and the directory is not trusted: ${runs}`;
  throw new ParleyError("untrusted_project", `${message}. To allow that: ${trustCommand(directory)}`, { file, shells });
}

/** The prompt that a command becomes: the text for the agent, and the files that the text names. */
export async function promptOf(command: SlashCommand, added: string, place: Place): Promise<PromptPart[]> {
  if (command.agent !== undefined) return [{ type: "text", text: `/${command.name} ${added}`.trim() }];
  const filled = fill(command.template, added);
  if (!place.trusted) assertRunsNothing(command, filled, place.directory);
  const text = await withOutputs(filled, place);
  return [{ type: "text", text }, ...(await filesNamed(text, place.directory))];
}
