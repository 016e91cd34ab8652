import { Command, Option } from "commander";
import { dataDirOption, tokenOptions } from "../command-options.ts";
import type { ConsoleFlags } from "../console/console.ts";
import { withExamples } from "../help.ts";

export function consoleCommand(): Command {
  const command = new Command("console")
    .summary("open the console in the browser")
    .description(
      "Open the console of this data directory's server in the browser, by a link that lets one browser in, once, " +
        "within five minutes. If no server runs, one runs in this terminal until Ctrl-C.",
    );
  withExamples(command, [
    ["parley console", "open it, and start a server if none runs"],
    ["parley console --print", "only print the link of the server that runs"],
    ["parley console --url https://parley.example --token-file t", "that of another machine"],
  ]);
  command.addOption(new Option("--print", "only print the link; a server must run"));
  command.addOption(new Option("--no-open", "open no browser"));
  command.option("--dir <directory>", "the directory of a session that names none, for a server that is started");
  command.addOption(
    new Option("--url <address>", "the server to use, with a token that you give").helpGroup("Server:"),
  );
  for (const option of [...tokenOptions(), dataDirOption()]) command.addOption(option);
  return command.action(async (flags: ConsoleFlags) => {
    const { openConsole } = await import("../console/console.ts");
    process.exitCode = await openConsole(flags);
  });
}
