import { Command, Option } from "commander";
import { DIMENSIONS } from "../../core/spending/report.ts";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { UsageFlags } from "../usage/usage.ts";

export function usageCommand(): Command {
  const command = new Command("usage")
    .summary("show tokens and cost by day, directory, agent, model or session")
    .description("Show what the turns of all sessions have spent, also of sessions that are deleted.");
  withExamples(command, [
    ["parley usage", "by day, in the time zone of this machine"],
    ["parley usage --by session --from 2026-11-01", "the most expensive sessions since then"],
    ["parley usage --by model --csv > usage.csv", "for a spreadsheet"],
  ]);
  command.addOption(new Option("--by <what>", "the rows").choices(DIMENSIONS).default("day"));
  command.addOption(new Option("--from <day>", "the first day, such as 2026-11-01"));
  command.addOption(new Option("--to <day>", "the last day"));
  command.addOption(new Option("--tz <zone>", "the time zone of the days (default: that of this machine)"));
  command.addOption(new Option("--dir <directory>", "only those of a directory"));
  command.addOption(new Option("--agent <name>", "only those of an agent"));
  command.addOption(new Option("--limit <number>", "the most rows (default 100)"));
  command.addOption(jsonOption("as one JSON object").conflicts("csv"));
  command.addOption(new Option("--csv", "as comma-separated values, for spreadsheets"));
  command.addOption(dataDirOption());
  return command.action(async (flags: UsageFlags) => {
    const { showUsage } = await import("../usage/usage.ts");
    process.stdout.write(await showUsage(flags));
  });
}
