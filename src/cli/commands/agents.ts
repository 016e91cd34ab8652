import { Command } from "commander";
import { withExamples } from "../help.ts";
import { type CommonFlags, dataDirOption, jsonOption } from "../options.ts";

export function agentsCommand(): Command {
  const command = new Command("agents")
    .summary("list the agents and what is known of them")
    .description("List the agents that sessions may name, with their models and modes.");
  withExamples(command, [
    ["parley agents", "what is installed, and what logged in"],
    ["parley agents --json", "with all that is known of their models"],
  ]);
  command.addOption(jsonOption("as one JSON list")).addOption(dataDirOption());
  return command.action(async (flags: CommonFlags) => {
    const { listAgents } = await import("../sessions/agents.ts");
    process.stdout.write(await listAgents(flags));
  });
}
