import { Command } from "commander";
import { dataDirOption, jsonOption } from "../command-options.ts";
import { configure } from "../context.ts";
import { EXIT } from "../exit.ts";
import { withExamples } from "../help.ts";
import type { CommonFlags } from "../options.ts";

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .summary("look for what is wrong")
    .description("Look at this machine, the data directory, the server and the agents.");
  withExamples(command, [
    ["parley doctor", "exit code 1 when something is wrong"],
    ["parley doctor --json", "the same for programs"],
    ["parley doctor --repair", "save what can be read of a damaged log; no server may run"],
  ]);
  command.addOption(dataDirOption()).addOption(jsonOption());
  command.option("--repair", "make a new log of what can be read of a damaged one; the old one is kept beside it");
  return command.action(async ({ dataDir, json, repair: mend }: CommonFlags & { repair?: boolean }) => {
    if (mend) {
      const { repair, renderRepair } = await import("../doctor/repair.ts");
      const { settings } = await configure({ dataDir });
      const done = await repair(settings);
      process.stdout.write(json ? `${JSON.stringify(done)}\n` : renderRepair(done));
      return;
    }
    const [{ examine }, { render }] = await Promise.all([
      import("../doctor/examine.ts"),
      import("../doctor/render.ts"),
    ]);
    const report = await examine({ dataDir });
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : render(report));
    if (report.verdict === "bad") process.exitCode = EXIT.failed;
  });
}
