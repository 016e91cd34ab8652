import { Command, CommanderError, Option } from "commander";
import { nearest } from "../core/nearest.ts";
import { acpCommand } from "./commands/acp.ts";
import { agentsCommand } from "./commands/agents.ts";
import { answerCommand } from "./commands/answer.ts";
import { asksCommand } from "./commands/asks.ts";
import { attachCommand } from "./commands/attach.ts";
import { cancelCommand } from "./commands/cancel.ts";
import { completionCommand } from "./commands/completion.ts";
import { consoleCommand } from "./commands/console.ts";
import { credentialsCommand } from "./commands/credentials.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { eventsCommand } from "./commands/events.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { installCommand } from "./commands/install.ts";
import { modelCommand } from "./commands/model.ts";
import { nodesCommand } from "./commands/nodes.ts";
import { opencodeCommand } from "./commands/opencode.ts";
import { runCommand } from "./commands/run.ts";
import { scriptedAgentCommand } from "./commands/scripted-agent.ts";
import { searchCommand } from "./commands/search.ts";
import { serveCommand } from "./commands/serve.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { trustCommand } from "./commands/trust.ts";
import { usageCommand } from "./commands/usage.ts";
import { CliError, EXIT } from "./exit.ts";
import { formatHelp, withExamples } from "./help.ts";
import { packageVersion } from "./version.ts";

/** The whole tree. Each command imports what it needs only when it is run, and tells its exit code by `process.exitCode`. */
export function buildProgram(): Command {
  const program = withExamples(new Command("parley"), [
    ['parley run "Read README.md and add a line at the end"', "one prompt, the reply on stdout"],
    ['parley run --continue "Now translate it"', "go on with the newest session here"],
    ["parley opencode", "OpenCode's terminal interface, on Parley"],
    ["parley console", "the web console, in your browser"],
    ["parley serve", "let clients in; the first line is the URL"],
    ["parley doctor", "what is found here, and what is wrong"],
  ])
    .description("Runs coding agents and lets any client drive them. Every turn begins once and ends once.")
    .usage("<command> [options]")
    .version(packageVersion(), "-v, --version", "show the version")
    .helpCommand("help [command]", "show the help of a command");
  const commands = [
    serveCommand(),
    runCommand(),
    consoleCommand(),
    opencodeCommand(),
    acpCommand(),
    sessionsCommand(),
    usageCommand(),
    searchCommand(),
    attachCommand(),
    asksCommand(),
    answerCommand(),
    cancelCommand(),
    eventsCommand(),
    exportCommand(),
    importCommand(),
    agentsCommand(),
    credentialsCommand(),
    doctorCommand(),
    nodesCommand(),
    trustCommand(),
    installCommand(),
    modelCommand(),
    scriptedAgentCommand(),
    completionCommand(() => program),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of everyCommand(program)) {
    command
      .configureHelp({ formatHelp })
      .addHelpOption(new Option("-h, --help", "show this help").helpGroup("Options:"))
      // A command's flags are its own, also where the one above it has some of the same name: "install --version 1".
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({ outputError: () => {} });
  }
  return program;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** An error of commander, in our words and with our exit code. */
function usageOf(error: CommanderError, command: Command | undefined): CliError {
  const message = error.message.replace(/^error: /, "");
  const help = command ? `parley help ${command.name()}` : "parley --help";
  return new CliError(`${message}\n${help} shows what there is`, EXIT.usage);
}

/** Commander shows the help of everything for a command that there is not. */
function refuseUnknownHelp(argv: readonly string[], names: readonly string[]): void {
  const [first, asked] = argv;
  if (first !== "help" || asked === undefined || asked.startsWith("-") || names.includes(asked)) return;
  const meant = nearest(asked, names);
  const hint = meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
  throw new CliError(`unknown command '${asked}'${hint}\nparley --help shows what there is`, EXIT.usage);
}

export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  if (argv.length === 0 || (argv[0] === "help" && argv[1] === "help")) {
    return program.outputHelp();
  }
  refuseUnknownHelp(
    argv,
    program.commands.map((command) => command.name()),
  );
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const asked = program.commands.find((command) => command.name() === argv[0]);
    if (thrown.exitCode !== 0) throw usageOf(thrown, asked);
  }
}
