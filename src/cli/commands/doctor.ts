import { Command } from "commander";
import { EXIT } from "../exit.ts";
import { withExamples } from "../help.ts";
import { dataDirOption, jsonOption } from "../options.ts";
import type { Finish } from "../program.ts";

export function doctorCommand(finish: Finish): Command {
  const command = new Command("doctor")
    .summary("look for what is wrong")
    .description("Look at this machine, the data directory, the server and the agents.");
  withExamples(command, [
    ["parley doctor", "exit code 1 when something is wrong"],
    ["parley doctor --json", "the same for programs"],
  ]);
  command.addOption(dataDirOption()).addOption(jsonOption());
  return command.action(async ({ dataDir, json }: { dataDir?: string; json?: boolean }) => {
    const [{ examine }, { render }] = await Promise.all([
      import("../doctor/examine.ts"),
      import("../doctor/render.ts"),
    ]);
    const report = await examine({ dataDir });
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : render(report));
    finish(report.verdict === "bad" ? EXIT.failed : EXIT.ok);
  });
}
