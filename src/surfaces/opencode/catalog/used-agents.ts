import type { SlashCommand } from "../../../gateway/commands/slash-command.ts";
import type { Surface } from "../context.ts";

/** So many of a directory's newest sessions are looked at. */
const LAST = 50;

/**
 * The agents that work in a directory, the one of its newest session first; before the first session, the agent that would get it. OpenCode has one list of commands
 * and one of modes for a directory, not for a session: these are the agents that the lists are for.
 */
export async function usedAgents(
  { gateway, environment: { catalog } }: Pick<Surface, "gateway" | "environment">,
  directory: string,
): Promise<string[]> {
  const sessions = await gateway.log.list({ directory, parent: null, limit: LAST });
  const there = sessions.map(({ agent }) => agent).filter((agent) => gateway.agents().includes(agent));
  return [...new Set([...there, await catalog.firstAgent()])];
}

/** Slash commands that OpenCode's clients have themselves. An agent's command of such a name would be there twice, and never reached. */
const CLIENTS_OWN: ReadonlySet<string> = new Set(
  "agents clear compact connect continue copy debug diff editor exit export fork help mcps model models new open quit redo rename resume sessions share skills status summarize terminal themes thinking timeline timestamps undo unshare variants workspace".split(
    " ",
  ),
);

/** The commands of a directory: built in, of the project, and those of the agent that worked there last. */
export async function offeredCommands(surface: Surface, directory: string): Promise<SlashCommand[]> {
  const [agent] = await usedAgents(surface, directory);
  const commands = await surface.gateway.work.commands(directory, agent === undefined ? [] : [agent]);
  return commands.filter((command) => command.agent === undefined || !CLIENTS_OWN.has(command.name));
}

/** Gives an agent work in a directory. If another agent worked there last, clients read the lists of commands and modes anew. */
export async function usingAgent<T>(
  surface: Surface,
  directory: string,
  agent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (agent === undefined) return work();
  const [last] = await usedAgents(surface, directory);
  const done = await work();
  if (agent !== last) surface.bus.reload();
  return done;
}
