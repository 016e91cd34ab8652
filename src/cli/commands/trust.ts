import { Command, Option } from "commander";
import { jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { TrustFlags } from "../trust/trust.ts";

export function trustCommand(): Command {
  const command = new Command("trust")
    .summary("let a project's own settings run code")
    .description(
      "Trust a directory and all below it: agents use what its project's files say there, hooks and servers that they start too. " +
        "Running servers need no restart; an agent that runs is started anew by its next prompt.",
    );
  withExamples(command, [
    ["parley trust", "this directory"],
    ["parley trust ~/work/site", "another one"],
    ["parley trust --list", "all that are trusted"],
    ["parley trust --remove ~/work/site", "no longer"],
  ]);
  command.argument("[directory]", "which one (default: this one)");
  command.addOption(new Option("--list", "list the trusted directories").conflicts("remove"));
  command.addOption(new Option("--remove", "take the trust back"));
  command.addOption(jsonOption());
  return command.action(async (directory: string | undefined, flags: TrustFlags) => {
    const { trust } = await import("../trust/trust.ts");
    process.stdout.write(await trust(directory, flags));
  });
}
