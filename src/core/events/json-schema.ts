import { z } from "zod";
import { eventSchemas } from "./event.ts";
import { SCHEMA_VERSION } from "./version.ts";

/** The universal event as JSON Schema 2020-12, for programs in other languages. */
export function eventJsonSchema(): Record<string, unknown> {
  const union = z.union(Object.values(eventSchemas) as unknown as [z.ZodType, z.ZodType, ...z.ZodType[]]);
  return {
    ...z.toJSONSchema(union, { io: "output" }),
    title: "ParleyEvent",
    "x-parley-schema-version": SCHEMA_VERSION,
  };
}
