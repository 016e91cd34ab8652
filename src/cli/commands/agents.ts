import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { CommonFlags } from "../options.ts";

export function agentsCommand(): Command {
  const command = new Command("agents")
    .summary("list the agents and what is known of them")
    .description("List the agents that sessions may name, with their models and modes.");
  withExamples(command, [
    ["parley agents", "what is installed, and what logged in"],
    ["parley agents --all", "also those that Parley knows and that are not installed"],
    ["parley agents --json", "with all that is known of their models"],
  ]);
  command.option("--all", "the ACP agents that Parley knows by name, installed or not");
  command.addOption(jsonOption("as one JSON list")).addOption(dataDirOption());
  return command.action(async ({ all, ...flags }: CommonFlags & { all?: boolean }) => {
    const { listAgents, listKnown } = await import("../sessions/agents.ts");
    process.stdout.write(all ? await listKnown(flags) : await listAgents(flags));
  });
}
