import type { TestContext } from "node:test";
import { TOOLS } from "../../../src/agents/house/tools/all.ts";
import type { Done, ToolContext } from "../../../src/agents/house/tools/tool.ts";
import { FileLocks } from "../../../src/agents/house/turn/file-locks.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import { workDirectory } from "./support.ts";

export interface Bench {
  work: string;
  context: ToolContext;
  outputs: string[];
  use(name: string, input: unknown): Promise<Done>;
}

/** Tools without a model: each is called as the loop calls it, and everything is allowed. */
export async function bench(t: TestContext, more: Partial<ToolContext> = {}): Promise<Bench> {
  const work = await workDirectory(t);
  const outputs: string[] = [];
  const context: ToolContext = {
    session: "ses_test",
    directory: work,
    trusted: true,
    host: createProcessHost({ runDirectory: await workDirectory(t), instance: "tools-test" }),
    locks: new FileLocks(),
    signal: new AbortController().signal,
    output: (delta) => outputs.push(delta),
    permit: async () => {},
    verdictOn: async () => "go",
    question: async () => [],
    plan: () => {},
    ...more,
  };
  const use = (name: string, input: unknown): Promise<Done> => {
    const tool = TOOLS.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.run(input, context);
  };
  return { work, context, outputs, use };
}
