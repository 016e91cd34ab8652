import { z } from "zod";
import type { Surface } from "./context.ts";
import { type Operation, operation } from "./operation.ts";

const MOST_SERVICE = 200;
const MOST_MESSAGE = 8 * 1024;
const MOST_EXTRA = 16 * 1024;

const entry = z.object({
  service: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

/** What is too much for a line of the log is cut to the beginning of its text. */
function boundedExtra(extra: Record<string, unknown>): unknown {
  const text = JSON.stringify(extra);
  return text.length > MOST_EXTRA ? `${text.slice(0, MOST_EXTRA)}…` : extra;
}

/** Clients write to the server's log. */
export function logOperations({ logger }: Surface): Operation[] {
  return [
    operation({
      method: "post",
      path: "/log",
      id: "app.log",
      support: "real",
      note: "a line of Parley's log; long ones are cut",
      body: entry,
      handle: async ({ body: { service, level, message, extra } }) => {
        const fields = { service: service.slice(0, MOST_SERVICE), ...(extra && { extra: boundedExtra(extra) }) };
        logger[level](fields, message.slice(0, MOST_MESSAGE));
        return true;
      },
    }),
  ];
}
