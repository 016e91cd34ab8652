import { Command, Option } from "commander";
import { addSettingOptions, flagLayer, jsonOption } from "../command-options.ts";
import type { Table } from "../config/table.ts";
import { withExamples } from "../help.ts";
import type { ServeOptions } from "../serve/serve.ts";

export function serveCommand(table?: Table): Command {
  const command = new Command("serve")
    .summary("start the server")
    .description("Start the server. The first line on stdout is its URL.");
  withExamples(command, [
    ["parley serve", "on 127.0.0.1, with a token of its own"],
    ["parley serve --port 0 --json", "any free port; URL and token as one JSON line"],
    ["parley serve --host 0.0.0.0 --allow-host box.example", "for other machines, under that name"],
    ["parley serve --root ~/work", "sessions, files and terminals below that directory only"],
    ["parley serve --unattended deny", "permissions are refused while nobody is attached"],
  ]);
  addSettingOptions(command, table);
  command.addOption(
    new Option("--insecure-no-auth", "no token: everybody on this machine may run commands as you")
      .conflicts(["token", "tokenFile"])
      .helpGroup("Access:"),
  );
  const dir = "the directory of a session that names none (default: this one)";
  command.addOption(new Option("--dir <directory>", dir).helpGroup("Agents:"));
  command.addOption(jsonOption("url and token as one JSON line instead of the URL").helpGroup("Output:"));
  return command.action(async (options: Omit<ServeOptions, "flags">) => {
    const { serve } = await import("../serve/serve.ts");
    process.exitCode = await serve({ ...options, flags: flagLayer(command, table) });
  });
}
