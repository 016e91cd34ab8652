import { Command } from "commander";
import type { AttachFlags } from "../attach/attach.ts";
import { dataDirOption, valueOption } from "../command-options.ts";
import { count } from "../config/kinds.ts";
import { withExamples } from "../help.ts";

export function attachCommand(): Command {
  const command = new Command("attach")
    .summary("follow a session and answer its asks")
    .description(
      "Show the last turn of a session and what comes next, whichever client prompts it, and have its asks answered here. " +
        "Ctrl-C detaches, and the session goes on; Ctrl-D leaves an ask to others.",
    );
  withExamples(command, [
    ["parley attach 3BUfDdB", "part of the id is enough"],
    ["parley attach 3BUfDdB --tail 5", "the last five turns first"],
    ["parley attach 3BUfDdB > replies.txt", "the replies into a file"],
  ]);
  command.argument("<session>", "one of parley sessions");
  command.addOption(
    valueOption("--tail <number>", "how many of the last turns are shown first", count).default(1, "1"),
  );
  command.addOption(dataDirOption());
  return command.action(async (session: string, flags: AttachFlags) => {
    const { attach } = await import("../attach/attach.ts");
    process.exitCode = await attach(session, flags);
  });
}
