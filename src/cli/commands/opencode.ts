import { Command, Option } from "commander";
import { dataDirOption, tokenOptions } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { OpencodeFlags } from "../opencode/opencode.ts";

export function opencodeCommand(): Command {
  const command = new Command("opencode")
    .summary("OpenCode's terminal interface, on Parley")
    .description(
      "Open OpenCode's terminal interface on this data directory's server, which is started if none runs. " +
        "The exit code is the interface's own.",
    );
  withExamples(command, [
    ["parley opencode", "in this directory"],
    ["parley opencode ~/project -c", "there, with its newest session"],
    ["parley opencode -s ses_3BUfDdB…", "with this session"],
    ["parley opencode --web", "OpenCode's web page"],
  ]);
  command.argument("[directory]", "where agents work (default: this directory)");
  command.option("-c, --continue", "go on with the newest session of the directory");
  command.addOption(new Option("-s, --session <id>", "go on with this session").conflicts("continue"));
  command.option("--fork", "go on in a copy of that session");
  command.addOption(
    new Option("--web", "show OpenCode's web page in the browser instead").conflicts(["continue", "session", "fork"]),
  );
  command.option("--no-open", "with --web: only print the address");
  command.option("--install", "install the interface without asking, if it is missing");
  for (const option of [...tokenOptions(), dataDirOption()]) command.addOption(option);
  return command.action(async (directory: string | undefined, flags: OpencodeFlags) => {
    const { opencode } = await import("../opencode/opencode.ts");
    process.exitCode = await opencode(directory, flags);
  });
}
