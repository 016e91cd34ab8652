import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { CommonFlags } from "../options.ts";

export function asksCommand(): Command {
  const command = new Command("asks")
    .summary("list what waits for an answer")
    .description("List the permissions and questions that wait for an answer, oldest first.");
  withExamples(command, [
    ["parley asks", "of all sessions"],
    ["parley asks 3BUfDdB", "of one session and its sub-agents"],
    ["parley asks --json | jq -r '.[0].id'", "for programs"],
  ]);
  command.argument("[session]", "only those of this session; part of its id is enough");
  command.addOption(jsonOption("as one JSON list")).addOption(dataDirOption());
  return command.action(async (session: string | undefined, flags: CommonFlags) => {
    const { listAsks } = await import("../asks/list.ts");
    process.stdout.write(await listAsks(session, flags));
  });
}
