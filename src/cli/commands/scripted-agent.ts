import { Command } from "commander";
import { valueOption } from "../command-options.ts";
import { count } from "../config/kinds.ts";
import { systemCodeOf, usageError } from "../exit.ts";
import { withExamples } from "../help.ts";

interface Flags {
  script?: string;
  pace: number;
  memory?: string;
}

function problemOf(thrown: unknown, script: string | undefined): unknown {
  const code = systemCodeOf(thrown);
  if (code === "ENOENT") return usageError(`--script: there is no file ${script}`);
  if (code === "EISDIR") return usageError(`--script: expected a file, got the directory ${script}`);
  if (thrown instanceof SyntaxError) return usageError(`--script: expected JSON in ${script}: ${thrown.message}`);
  return thrown;
}

/** The sample agent as a program, for an `agents` entry of the configuration. */
export function scriptedAgentCommand(): Command {
  const command = new Command("scripted-agent")
    .summary("an agent that follows a script, for tests")
    .description(
      "An agent that follows a script and speaks the line protocol on stdin and stdout, for tests and trials.",
    );
  withExamples(command, [
    ['parley run --agent scripted "[[ask ls]]"', "the same agent, as Parley starts it itself"],
    ["parley scripted-agent --script play.json", 'for "agents": { "mine": { "command": [...] } } in parley.jsonc'],
  ]);
  command.option("--script <path>", "what it does, as JSON (default: what the markers in a prompt say)");
  command.addOption(valueOption("--pace <milliseconds>", "the time between two words", count).default(2));
  command.option("--memory <directory>", "where it remembers its sessions (default: nowhere)");
  return command.action(async ({ script, pace, memory }: Flags) => {
    const { serve } = await import("../../testing/sample-agent/session.ts");
    try {
      serve({ pace, script, memory });
    } catch (thrown) {
      throw problemOf(thrown, script);
    }
    // It leaves by itself when its stdin ends.
    await new Promise(() => {});
  });
}
