import { Command } from "commander";
import type { AcpFlags } from "../acp/acp.ts";
import { dataDirOption, tokenOptions } from "../command-options.ts";
import { withExamples } from "../help.ts";

export function acpCommand(): Command {
  const command = new Command("acp")
    .summary("an agent for editors: the Agent Client Protocol on stdin and stdout")
    .description(
      "Speak the Agent Client Protocol (ACP) on stdin and stdout, for an editor or another client that starts agents by " +
        "a command line. The sessions are those of this data directory's server, which runs in here if none does. " +
        "Exit code 0 when the client is gone. In Zed's settings:\n" +
        '  "agent_servers": {\n' +
        '    "Parley": { "type": "custom", "command": "parley", "args": ["acp"] }\n' +
        "  }",
    );
  withExamples(command, [
    ["parley acp", "what the editor runs; the default agent"],
    ["parley acp --agent claude", "with this agent"],
    ['parley acp --agent "acp:gemini --acp"', "with another program that speaks ACP"],
    ['acpx --agent "parley acp" exec "What is here?"', "one prompt, by the client acpx"],
  ]);
  command.option("--agent <name>", "the agent of new sessions: one of parley agents --all, or acp:COMMAND");
  for (const option of [...tokenOptions(), dataDirOption()]) command.addOption(option);
  return command.action(async (flags: AcpFlags) => {
    const { acp } = await import("../acp/acp.ts");
    process.exitCode = await acp(flags);
  });
}
