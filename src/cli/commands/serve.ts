import { Command, Option } from "commander";
import { LOG_LEVELS } from "../../server/logging/log-line.ts";
import { SYNC, UNATTENDED } from "../config/choices.ts";
import type { Layer } from "../config/settings.ts";
import { count, duration, oneOf, port } from "../config/text-values.ts";
import { usageError } from "../exit.ts";
import { withExamples } from "../help.ts";
import { choiceOption, dataDirOption, jsonOption, repeatedOption, valueOption } from "../options.ts";
import type { Finish } from "../program.ts";
import type { ServeOptions } from "../serve/serve.ts";

interface Flags extends Omit<ServeOptions, "flags"> {
  host?: string;
  port?: number;
  dataDir?: string;
  token?: string;
  tokenFile?: string;
  allowHost?: string[];
  cors?: string[];
  sync?: Layer["sync"];
  agent?: string;
  root?: string[];
  unattended?: Layer["unattended"];
  askDeadline?: number;
  idleClose?: number;
  idleAgents?: number;
  retainEvents?: number;
  native: boolean;
  logLevel?: Layer["logLevel"];
}

function layerOf(flags: Flags): Layer {
  const { token, tokenFile } = flags;
  const given = token !== undefined ? { token } : tokenFile !== undefined ? { file: tokenFile } : undefined;
  return {
    host: flags.host,
    port: flags.port,
    dataDir: flags.dataDir,
    credential: given,
    allowHosts: flags.allowHost,
    cors: flags.cors,
    sync: flags.sync,
    defaultAgent: flags.agent,
    roots: flags.root,
    unattended: flags.unattended,
    askDeadlineMs: flags.askDeadline,
    idleCloseMs: flags.idleClose,
    idleAgents: flags.idleAgents,
    retainEvents: flags.retainEvents,
    keepNative: flags.native ? undefined : false,
    logLevel: flags.logLevel,
  };
}

export function serveCommand(finish: Finish): Command {
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
  command.optionsGroup("Listening:");
  command.option("--host <address>", "address to listen on (default 127.0.0.1)");
  command.addOption(valueOption("--port <number>", "port to listen on; 0 for any free one (default 7420)", port));
  command.addOption(repeatedOption("--allow-host <name>", "a further name that clients may call it by; repeatable"));
  command.addOption(repeatedOption("--cors <origin>", "a web page's origin that may call it; repeatable"));
  command.optionsGroup("Access:");
  command.addOption(
    new Option(
      "--token <token>",
      "the token; better --token-file or PARLEY_TOKEN, which no list of processes shows",
    ).conflicts("tokenFile"),
  );
  command.option("--token-file <path>", "a file with the token (default: made in the data directory)");
  command.addOption(
    new Option("--insecure-no-auth", "no token: everybody on this machine may run commands as you").conflicts([
      "token",
      "tokenFile",
    ]),
  );
  command.addOption(
    repeatedOption(
      "--root <directory>",
      "limit sessions, files and terminals to it; repeatable (default: --dir, where others can reach the server)",
    ),
  );
  command.optionsGroup("Agents:");
  command.option(
    "--agent <name>",
    "the agent of a session that names none (default: claude, where it is installed and logged in; else house)",
  );
  command.option("--dir <path>", "the directory of a session that names none (default: this one)");
  command.addOption(
    choiceOption("--unattended <policy>", "a permission while no client is attached (default wait)", UNATTENDED),
  );
  command.addOption(valueOption("--ask-deadline <time>", "how long an ask waits for a client (default 30m)", duration));
  command.addOption(
    valueOption("--idle-close <time>", "how long an agent without work is kept (default 10m)", duration),
  );
  command.addOption(
    valueOption("--idle-agents <number>", "how many agents without work are kept at most (default 8)", count),
  );
  command.optionsGroup("Storage:");
  command.addOption(dataDirOption().helpGroup("Storage:"));
  command.addOption(
    choiceOption("--sync <mode>", "process survives kill -9, disk the loss of power too (default process)", SYNC),
  );
  command.addOption(
    valueOption("--retain-events <number>", "events of a session to keep at least; 0 keeps all (default 0)", count),
  );
  command.option("--no-native", "do not store the agents' own lines");
  command.optionsGroup("Output:");
  command.addOption(
    valueOption("--log-level <level>", "the least that is logged on stderr (default info)", oneOf(LOG_LEVELS)).choices([
      ...LOG_LEVELS,
    ]),
  );
  command.addOption(jsonOption("url and token as one JSON line instead of the URL"));
  return command.action(async (flags: Flags) => {
    if (flags.host === "") throw usageError("--host: expected an address, got nothing");
    const { serve } = await import("../serve/serve.ts");
    finish(await serve({ ...flags, flags: layerOf(flags) }));
  });
}
