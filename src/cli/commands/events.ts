import { Command, Option } from "commander";
import { dataDirOption, jsonOption, valueOption } from "../command-options.ts";
import { count } from "../config/kinds.ts";
import { withExamples } from "../help.ts";
import type { EventFlags } from "../sessions/events.ts";

export function eventsCommand(): Command {
  const command = new Command("events")
    .summary("print a session's events")
    .description("Print the events of a session, one JSON object a line.");
  withExamples(command, [
    ["parley events 3BUfDdB", "all of them; part of the id is enough"],
    ["parley events 3BUfDdB --after 120 --follow", "from number 121 on, and those to come"],
    ["parley events 3BUfDdB --native | jq .native", "what the agent itself said"],
  ]);
  command.argument("<id>", "a session");
  command.addOption(valueOption("--after <number>", "only events with greater numbers", count).default(0, "0"));
  command.addOption(new Option("-f, --follow", "wait for what is still to come"));
  command.addOption(new Option("--native", "with the agents' own lines, where they were kept"));
  command.addOption(jsonOption("JSON in a terminal too, where events are readable lines otherwise"));
  command.addOption(dataDirOption());
  return command.action(async (id: string, flags: EventFlags) => {
    const { printEvents } = await import("../sessions/events.ts");
    await printEvents(id, flags);
  });
}
