import { Command, Option } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { DrainFlags } from "../nodes/drain.ts";
import type { CommonFlags } from "../options.ts";

function drainCommand(): Command {
  const command = new Command("drain")
    .summary("have a node take no new sessions, and stop")
    .description(
      "Have a node take no new sessions, give up idle ones to the others, wait for its turns, and stop. Ten minutes are the most that it waits.",
    );
  withExamples(command, [
    ["parley nodes drain box-2", "returns when the other nodes know"],
    ["parley nodes drain box-2 --wait", "returns when it is gone"],
  ]);
  command.argument("<node>", "one of parley nodes");
  command.addOption(new Option("--wait", "until the node is gone"));
  command.addOption(jsonOption()).addOption(dataDirOption());
  return command.action(async (node: string, flags: DrainFlags) => {
    const { drain } = await import("../nodes/drain.ts");
    process.stdout.write(await drain(node, flags));
  });
}

export function nodesCommand(): Command {
  const command = new Command("nodes")
    .summary("list the nodes on the same database, or drain one")
    .description(
      "List the nodes that share the database: names, places, leases. A server without --database is alone.",
    );
  withExamples(command, [
    ["parley nodes", "the node that answers has a star"],
    ["parley nodes --json | jq -r '.[].name'", "for programs"],
    ["parley nodes drain box-2 --wait", "before an update of that machine"],
  ]);
  command.usage("[options] | parley nodes drain <node>");
  command.addOption(jsonOption("as one JSON list")).addOption(dataDirOption());
  command.addCommand(drainCommand()).helpCommand(false);
  return command.action(async (flags: CommonFlags) => {
    const { listNodes } = await import("../nodes/list.ts");
    process.stdout.write(await listNodes(flags));
  });
}
