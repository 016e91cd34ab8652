import { Command, Option } from "commander";
import { SHELLS } from "../../credentials/export.ts";
import { jsonOption } from "../command-options.ts";
import type { CredentialsFlags } from "../credentials/credentials.ts";
import { withExamples } from "../help.ts";

export function credentialsCommand(): Command {
  const command = new Command("credentials")
    .summary("list the keys and logins that agents find here")
    .description(
      "List the API keys and logins in the environment and in the files of Claude Code, Codex and OpenCode: their place, their end and the agents that use them. Secrets are shown by --export only.",
    );
  withExamples(command, [
    ["parley credentials", "what is found, where, and until when it is good"],
    ["parley credentials --json", "the same for programs, without secrets too"],
    ["parley credentials --export anthropic", "a line for a shell, with the secret"],
    ['eval "$(parley credentials --export --to-pipe)"', "set the variables in this shell"],
  ]);
  command.addOption(jsonOption().conflicts("export"));
  command.addOption(
    new Option("--export [provider]", "print lines that set variables for a shell: secrets in plain text"),
  );
  command.addOption(new Option("--to-pipe", "let --export write secrets to a pipe or a file"));
  command.addOption(new Option("--format <shell>", "of the lines (default sh)").choices(SHELLS));
  return command.action(async (flags: CredentialsFlags) => {
    const { credentials } = await import("../credentials/credentials.ts");
    await credentials(flags);
  });
}
