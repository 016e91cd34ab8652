import { Command, Option } from "commander";
import { FOUND_KINDS } from "../../core/search/text.ts";
import { dataDirOption, jsonOption, valueOption } from "../command-options.ts";
import { count } from "../config/kinds.ts";
import { withExamples } from "../help.ts";
import type { SearchFlags } from "../sessions/search.ts";

export function searchCommand(): Command {
  const command = new Command("search")
    .summary("find what was said and done in sessions")
    .description("Search what was said and done in all sessions, sub-agents' too, newest first.");
  withExamples(command, [
    ["parley search retry backoff", "both words, in any order"],
    ["parley search '\"exactly this\" -draft'", "words in a row, and without a word"],
    ["parley search src/log/contract.ts --dir .", "a path, in sessions of this directory"],
    ["parley search npm --kind tool_call --json", "for programs, one hit a line"],
  ]);
  command.argument("<words...>", "what to look for; part of the last word is enough");
  command.addOption(new Option("--dir <directory>", "only sessions of a directory"));
  command.addOption(new Option("--agent <name>", "only sessions of an agent"));
  command.addOption(new Option("--session <id>", "only a session and its sub-agents"));
  command.addOption(new Option("--kind <kind>", "only what is of this kind").choices([...FOUND_KINDS]));
  command.addOption(valueOption("--limit <number>", "at most so many hits", count).default(20, "20"));
  command.addOption(jsonOption("as JSON, one hit a line")).addOption(dataDirOption());
  return command.action(async (words: string[], flags: SearchFlags) => {
    const { searchSessions } = await import("../sessions/search.ts");
    process.stdout.write(await searchSessions(words.join(" "), flags));
  });
}
