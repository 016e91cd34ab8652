import { Argument, Command } from "commander";
import { withExamples } from "../help.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export function completionCommand(program: () => Command): Command {
  const command = new Command("completion")
    .summary("print a shell's completion script")
    .description("Print the completion script of a shell.");
  withExamples(command, [
    ["source <(parley completion bash)", "for this shell; into ~/.bashrc for all"],
    ["source <(parley completion zsh)", "for zsh"],
    ["parley completion fish | source", "for fish"],
  ]);
  command.addArgument(new Argument("<shell>", "which shell").choices(SHELLS));
  return command.action(async (shell: (typeof SHELLS)[number]) => {
    const [{ treeOf }, { bashScript }, { zshScript }, { fishScript }] = await Promise.all([
      import("../completion/tree.ts"),
      import("../completion/bash.ts"),
      import("../completion/zsh.ts"),
      import("../completion/fish.ts"),
    ]);
    const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
    process.stdout.write(script(treeOf(program())));
  });
}
