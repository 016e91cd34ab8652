import { z } from "zod";
import { defineTool } from "./tool.ts";

export const todo = defineTool({
  name: "todo",
  description:
    "Sets the list of what is to be done, whole each time. Use it for work of several steps and keep it up to date.",
  input: z.object({
    todos: z.array(
      z.object({
        text: z.string(),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
        priority: z.enum(["high", "medium", "low"]).optional(),
      }),
    ),
  }),
  title: ({ todos }) => `${todos.filter(({ status }) => status === "completed").length} of ${todos.length} done`,
  async run({ todos }, { plan }) {
    plan(todos);
    return { output: `the list has ${todos.length} entries now` };
  },
});
