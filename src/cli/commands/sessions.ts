import { Command, Option } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { ListFlags } from "../sessions/list.ts";

function removeCommand(): Command {
  const command = new Command("rm").description("Stop what runs in sessions and forget them.");
  withExamples(command, [["parley sessions rm 3BUfDdB", "a beginning or an end of the id is enough"]]);
  command.argument("<id...>", "sessions").addOption(dataDirOption());
  return command.action(async (ids: string[], flags: { dataDir?: string }) => {
    const { removeSessions } = await import("../sessions/remove.ts");
    await removeSessions(ids, flags.dataDir);
  });
}

export function sessionsCommand(): Command {
  const command = new Command("sessions")
    .summary("list sessions, or forget some")
    .description("List sessions, newest first.");
  withExamples(command, [
    ["parley sessions", "the newest twenty"],
    ["parley sessions --dir . --all", "every one of this directory"],
    ["parley sessions --json | jq -r '.[0].id'", "for programs"],
    ["parley sessions rm 3BUfDdB", "forget one"],
  ]);
  command.usage("[options] | parley sessions rm <id...>");
  command.addOption(new Option("--dir <directory>", "only those of a directory"));
  command.addOption(new Option("--all", "all of them, not only the newest twenty"));
  command.addOption(jsonOption("as one JSON list")).addOption(dataDirOption());
  command.addCommand(removeCommand()).helpCommand(false);
  return command.action(async (flags: ListFlags) => {
    const { listSessions } = await import("../sessions/list.ts");
    process.stdout.write(await listSessions(flags));
  });
}
