import { Command } from "commander";
import { dataDirOption } from "../command-options.ts";
import { withExamples } from "../help.ts";

export function exportCommand(): Command {
  const command = new Command("export")
    .summary("print a session as a file of JSON lines")
    .description(
      "Print a session and those of its sub-agents, one event a line. It holds all that was said and done, and no agent's memory.",
    );
  withExamples(command, [
    ["parley export 3BUfDdB > session.jsonl", "part of the id is enough"],
    ["parley export 3BUfDdB | ssh box parley import -", "to another machine"],
  ]);
  command.argument("<session>", "one of parley sessions").addOption(dataDirOption());
  return command.action(async (session: string, flags: { dataDir?: string }) => {
    const { exportSession } = await import("../sessions/export.ts");
    await exportSession(session, flags.dataDir);
  });
}
