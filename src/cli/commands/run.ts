import { Command, Option } from "commander";
import { dataDirOption, jsonOption, tokenOptions } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { RunFlags } from "../run/run.ts";

const FORMATS = ["text", "json", "events"] as const;

export function runCommand(): Command {
  const command = new Command("run").description(
    "Give an agent one prompt. Its reply goes to stdout, what it does to stderr. " +
      "Exit codes: 0 done, 1 error, 2 usage, 3 refused, 4 out of tokens or turns, 5 interrupted, " +
      "6 done, but a permission was rejected because there was no terminal to ask at, 130 cancelled.",
  );
  command.summary("give an agent one prompt and print its reply");
  withExamples(command, [
    ['parley run "Read README.md and add a line at the end"', "asks before it changes something"],
    ['git diff | parley run --deny "Review this" > review.md', "stdin after the prompt; nothing is allowed"],
    ['parley run --continue --yes "Now do it"', "go on here; permissions are allowed once each"],
    ['parley run --format json "How many files?" | jq -r .text', "for programs: one object at the end"],
    ['parley run --json "Fix it" | jq -c .type', "for programs: every event as it comes"],
  ]);
  command.argument("[prompt...]", "the prompt; piped text follows it; - or nothing reads all of it from stdin");
  command.optionsGroup("Session:");
  command.option("--agent <name>", "one of parley agents, or acp: with a command line");
  command.option("--model <id>", "one of the agent's models");
  command.option("--mode <id>", "one of the agent's modes");
  command.option("--dir <directory>", "where the agent works (default: this directory)");
  command.addOption(
    new Option("--session <id>", "go on with this session; part of its id is enough").conflicts("continue"),
  );
  command.option("-c, --continue", "go on with the newest session of the directory");
  command.option("--title <text>", "the session's title");
  command.optionsGroup("Asks:");
  command.addOption(new Option("-y, --yes", "allow each permission once; questions are rejected").conflicts("deny"));
  command.option("--deny", "reject whatever is asked");
  command.optionsGroup("Output:");
  command.addOption(
    new Option("--format <format>", "the reply, one object at the end, or every event")
      .choices(FORMATS)
      .default("text"),
  );
  command.addOption(jsonOption("every event as a JSON line, the same as --format events").conflicts("format"));
  for (const option of [...tokenOptions(), dataDirOption()]) command.addOption(option);
  return command.action(async (words: string[], { json, ...flags }: RunFlags & { json?: boolean }) => {
    const { run } = await import("../run/run.ts");
    process.exitCode = await run(words, json ? { ...flags, format: "events" } : flags);
  });
}
