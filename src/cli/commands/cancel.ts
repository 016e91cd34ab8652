import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { CancelFlags } from "../sessions/cancel.ts";

export function cancelCommand(): Command {
  const command = new Command("cancel")
    .summary("stop what runs in a session")
    .description(
      "Stop the turn of a session and drop the prompts that wait in it. Returns when the agent is quiet. " +
        "An idle session is left as it is, with exit code 0.",
    );
  withExamples(command, [
    ["parley cancel 3BUfDdB", "a beginning or an end of the id is enough"],
    ["parley cancel 3BUfDdB --keep-queue", "prompts that wait are run next"],
  ]);
  command.argument("<session>", "one of parley sessions");
  command.option("--keep-queue", "keep the prompts that wait");
  command.addOption(jsonOption()).addOption(dataDirOption());
  return command.action(async (session: string, flags: CancelFlags) => {
    const { cancelSession } = await import("../sessions/cancel.ts");
    process.stdout.write(await cancelSession(session, flags));
  });
}
