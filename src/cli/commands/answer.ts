import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { withExamples } from "../help.ts";
import type { CommonFlags } from "../options.ts";

export function answerCommand(): Command {
  const command = new Command("answer")
    .summary("answer a permission or a question")
    .description(
      "Answer an ask. The first answer wins: exit code 1 when somebody else was first, and who it was. " +
        "Without an answer, a person at a terminal is shown the ask and asked.",
    );
  withExamples(command, [
    ["parley answer per_0199 allow", "once; part of the id is enough"],
    ["parley answer per_0199 always", "for the rest of the session"],
    ["parley answer per_0199 deny use the other file", "with a reason for the agent"],
    ["parley answer que_0199 2", "the second option; or its words, or your own"],
    ["parley answer per_0199", "shows it, and asks here"],
  ]);
  command.argument("<ask>", "one of parley asks");
  command.argument("[answer...]", "allow, always or deny; the answer to a question, or one for each of several");
  command.addOption(jsonOption()).addOption(dataDirOption());
  return command.action(async (ask: string, words: string[], flags: CommonFlags) => {
    const { answerAsk } = await import("../asks/answer.ts");
    process.stdout.write(await answerAsk(ask, words, flags));
  });
}
