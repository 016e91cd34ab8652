import { z } from "zod";
import { defineTool } from "./tool.ts";

export const question = defineTool({
  name: "question",
  description: "Asks the user what only the user can decide. Offer options where you can.",
  input: z.object({
    questions: z
      .array(
        z.object({
          question: z.string(),
          header: z.string().optional().describe("a few words"),
          options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
          multiple: z.boolean().optional().describe("more than one option may be chosen"),
        }),
      )
      .min(1),
  }),
  title: ({ questions }) => questions[0]?.header ?? questions[0]?.question ?? "",
  async run({ questions }, context) {
    const answers = await context.question(questions.map((one) => ({ ...one, custom: true })));
    const lines = questions.map((one, at) => `${one.question}\n  ${answers[at]?.join(", ") || "(no answer)"}`);
    return { output: lines.join("\n") };
  },
});
