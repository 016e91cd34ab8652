import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { defineTool, type Tool } from "../../../src/agents/house/tools/tool.ts";

const anything = z.looseObject({});

/** A tool of a test: it does what the test says. */
export function tool(name: string, run: (signal: AbortSignal) => Promise<string>): Tool {
  return defineTool({
    name,
    description: name,
    input: anything,
    title: () => name,
    run: async (_, { signal }) => ({ output: await run(signal) }),
  });
}

export const slow = (ms: number): Tool => tool("slow", async () => `${await delay(ms, "waited")}`);

export const throwing = tool("throwing", async () => {
  throw new Error("this tool is broken");
});

/** Never ends, not even when it is told to. */
export const stuck = tool("stuck", () => new Promise<string>(() => {}));

/** Ends when the test says so. */
export function gated(name: string): { tool: Tool; started: Promise<void>; release(): void } {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const made = tool(name, () => {
    started.resolve();
    return gate.promise;
  });
  return { tool: made, started: started.promise, release: () => gate.resolve(`${name} is done`) };
}
