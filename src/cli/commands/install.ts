import { Argument, Command } from "commander";
import { INSTALLABLE } from "../../install/catalog.ts";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { InstallFlags } from "../install/install.ts";
import { NAMES } from "../install/names.ts";

export function installCommand(): Command {
  const command = new Command("install")
    .summary("install an agent's program, or list them")
    .description(
      "Install an agent's program with your npm into the data directory; without a name, list what there is.",
    );
  withExamples(command, [
    ["parley install", "what can be installed, and what is"],
    ["parley install opencode", "the version that Parley is tested with"],
    [`parley install claude --version ${INSTALLABLE.claude.version}`, "another version"],
    ["parley install codex --force", "once more, if it is broken"],
    ["parley install gemini", "an ACP agent: its package, pinned, with what it depends on"],
  ]);
  const agent = new Argument("[agent]", "which one");
  agent.argChoices = [...NAMES];
  command.addArgument(agent);
  command.option("--version <version>", "another version than the one Parley is tested with");
  command.option("--force", "install again what is there already");
  command.option("--all", "list also the ACP agents that are not installed");
  command.addOption(jsonOption()).addOption(dataDirOption());
  return command.action(async (name: string | undefined, flags: InstallFlags) => {
    const { install, listInstallable } = await import("../install/install.ts");
    process.stdout.write(name === undefined ? await listInstallable(flags) : await install(name, flags));
  });
}
