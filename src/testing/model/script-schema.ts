import { z } from "zod";
import { present } from "../../core/json/fields.ts";
import { PLACES, type Script, STOPS, type Trouble, USAGE } from "./script.ts";

const ms = z.number().nonnegative();
const pause = { delay: ms.optional(), hold: z.string().min(1).optional() };
const words = z.union([z.string(), z.array(z.union([z.string(), z.strictObject({ text: z.string(), ...pause })]))]);

const tool = z.strictObject({
  name: z.string().min(1),
  input: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  id: z.string().min(1).optional(),
  ...pause,
});

const part = z
  .strictObject({ reasoning: words.optional(), text: words.optional(), tool: tool.optional() })
  .refine((value) => Object.keys(value).length === 1, "expected exactly one of reasoning, text, tool");

const place = z.enum(PLACES);

const KINDS = ["status", "cut", "hang", "error"] as const;
const BELONGS: Partial<Record<keyof Trouble, (typeof KINDS)[number]>> = {
  retryAfter: "status",
  headers: "status",
  clean: "cut",
  at: "error",
};

const trouble = z
  .strictObject({
    status: z.int().min(400).max(599).optional(),
    retryAfter: z.number().nonnegative().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    cut: place.optional(),
    clean: z.boolean().optional(),
    hang: place.optional(),
    error: z.string().optional(),
    at: place.optional(),
    type: z.string().optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    times: z.int().positive().optional(),
  })
  .superRefine((value, context) => {
    const kinds = KINDS.filter((kind) => value[kind] !== undefined);
    const kind = kinds[0];
    if (kind === undefined || kinds.length > 1) {
      context.addIssue(`expected exactly one of ${KINDS.join(", ")}`);
      return;
    }
    for (const [key, owner] of Object.entries(BELONGS)) {
      if (value[key as keyof Trouble] !== undefined && owner !== kind) {
        context.addIssue({ code: "custom", path: [key], message: `belongs to ${owner}, not to ${kind}` });
      }
    }
  });

const CONTENT = ["reasoning", "text", "tools", "parts"] as const;

const step = z
  .strictObject({
    wait: ms.optional(),
    pace: ms.optional(),
    reasoning: words.optional(),
    text: words.optional(),
    tools: z.array(tool).min(1).optional(),
    parts: z.array(part).min(1).optional(),
    finish: z.strictObject(pause).optional(),
    stop: z.enum(STOPS).optional(),
    usage: z.partialRecord(z.enum(USAGE), z.int().nonnegative()).optional(),
    fail: z.union([trouble, z.array(trouble).min(1)]).optional(),
  })
  .superRefine((value, context) => {
    if (value.parts !== undefined && (value.text ?? value.reasoning ?? value.tools) !== undefined) {
      const message = "expected parts alone, or reasoning, text and tools";
      context.addIssue({ code: "custom", path: ["parts"], message });
    }
    const says = CONTENT.some((key) => value[key] !== undefined) || value.stop !== undefined;
    const forever = value.fail !== undefined && !Array.isArray(value.fail) && value.fail.times === undefined;
    if (!says && !forever) {
      context.addIssue(`expected something to say (${CONTENT.join(", ")}), or a fail without times`);
    }
    const { reasoning, text, tools: several, parts = [] } = value;
    const kinds = new Set([present({ reasoning, text, tool: several }), ...parts].flatMap((part) => Object.keys(part)));
    for (const one of value.fail === undefined ? [] : [value.fail].flat()) {
      const where = one.cut ?? one.hang ?? one.at;
      if (where !== undefined && ["reasoning", "text", "tool"].includes(where) && !kinds.has(where)) {
        const message = `expected a ${where} to fail in, the step has none`;
        context.addIssue({ code: "custom", path: ["fail"], message });
      }
    }
  });

export const scriptSchema: z.ZodType<Script> = z.strictObject({
  pace: ms.optional(),
  title: z.string().optional(),
  models: z.array(z.string().min(1)).min(1).optional(),
  prompts: z.record(z.string(), z.array(step).min(1)),
}) as unknown as z.ZodType<Script>;
