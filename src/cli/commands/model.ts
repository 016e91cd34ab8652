import { once } from "node:events";
import { Command } from "commander";
import { valueOption } from "../command-options.ts";
import { port } from "../config/kinds.ts";
import { CliError, systemCodeOf, usageError } from "../exit.ts";
import { withExamples } from "../help.ts";
import { clearKeyEcho } from "../output/key-echo.ts";
import { Interrupts } from "../run/interrupts.ts";

interface Flags {
  script?: string;
  port?: number;
}

function problemOf(thrown: unknown, flags: Flags): Error {
  if (thrown instanceof Error && thrown.name === "ScriptError") return usageError(thrown.message);
  const code = systemCodeOf(thrown);
  if (code === "EADDRINUSE") return new CliError(`port ${flags.port} is taken: choose another with --port`);
  if (code === "ENOENT") return usageError(`--script: there is no file ${flags.script}`);
  if (code === "EISDIR") return usageError(`--script: expected a file, got the directory ${flags.script}`);
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function modelCommand(): Command {
  const command = new Command("model")
    .summary("serve a model that follows a script")
    .description("Serve a model that follows a script, for tests and trials. The first line on stdout is its URL.");
  withExamples(command, [
    ["parley model", "the built-in script, on any free port"],
    ["parley model --script script.yaml --port 4010", "a script of your own"],
  ]);
  command.option("--script <path>", "what it says, as YAML (default: a built-in script)");
  command.addOption(valueOption("--port <number>", "port to listen on (default: any free one)", port));
  return command.action(async (flags: Flags) => {
    const [{ startScriptedModel }, { pointAgents }] = await Promise.all([
      import("../../testing/model/server.ts"),
      import("../../testing/model/point-agents.ts"),
    ]);
    const model = await startScriptedModel({ file: flags.script, port: flags.port }).catch((thrown: unknown) => {
      throw problemOf(thrown, flags);
    });
    process.stdout.write(`${[model.url, ...pointAgents(model.url)].join("\n")}\n`);
    const { signal } = new Interrupts();
    if (!signal.aborted) await once(signal, "abort");
    clearKeyEcho(process.stderr);
    await model.close();
  });
}
