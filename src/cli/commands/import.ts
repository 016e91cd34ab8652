import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { ImportFlags } from "../sessions/import.ts";

export function importCommand(): Command {
  const command = new Command("import")
    .summary("store a session that was exported")
    .description(
      "Store a session from a file of parley export, and print its id: its own where that is free, else a new one. " +
        "Nothing runs; rules and grants of the other place do not hold here.",
    );
  withExamples(command, [
    ["parley import session.jsonl", "with its directory as it was"],
    ["parley import session.jsonl --dir .", "as a session of this directory"],
    ["parley import - < session.jsonl", "from stdin"],
  ]);
  command.argument("<path>", "a file of parley export; - reads stdin");
  command.option("--dir <directory>", "the directory of the session here (default: the one it had)");
  command.addOption(jsonOption()).addOption(dataDirOption());
  return command.action(async (file: string, flags: ImportFlags) => {
    const { importSession } = await import("../sessions/import.ts");
    process.stdout.write(await importSession(file, flags));
  });
}
