import type { Command, Help } from "commander";

/** A command line, and what it does. */
export type Example = readonly [line: string, what: string];

const examplesOf = new WeakMap<Command, readonly Example[]>();

export function withExamples(command: Command, examples: readonly Example[]): Command {
  examplesOf.set(command, examples);
  return command;
}

function exampleLines(command: Command): string[] {
  const examples = examplesOf.get(command) ?? [];
  const width = Math.max(0, ...examples.map(([line]) => line.length));
  return examples.map(([line, what]) => `  ${line.padEnd(width)}  # ${what}`);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines, ""];
}

/** Examples first: most people who ask for help want to see the line that they will type. */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.padWidth(command, helper);
  const item = (term: string, description: string): string => helper.formatItem(term, width, description, helper);
  const options = helper.groupItems(
    [...command.options],
    helper.visibleOptions(command),
    (option) => option.helpGroupHeading ?? "Options:",
  );
  return [
    ...section("Examples:", exampleLines(command)),
    `Usage: ${helper.commandUsage(command)}`,
    "",
    helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80),
    "",
    ...section(
      "Arguments:",
      helper.visibleArguments(command).map((one) => item(helper.argumentTerm(one), helper.argumentDescription(one))),
    ),
    ...section(
      "Commands:",
      helper.visibleCommands(command).map((one) => item(helper.subcommandTerm(one), helper.subcommandDescription(one))),
    ),
    ...[...options].flatMap(([title, group]) =>
      section(
        title,
        group.map((one) => item(helper.optionTerm(one), helper.optionDescription(one))),
      ),
    ),
  ].join("\n");
}
