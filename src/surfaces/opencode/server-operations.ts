import { z } from "zod";
import { OPENCODE_VERSION, type Surface } from "./context.ts";
import { get, type Operation, post } from "./operation.ts";

const MOST_SERVICE = 200;
const MOST_MESSAGE = 8 * 1024;
const MOST_EXTRA = 16 * 1024;

const entry = z.object({
  service: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

/** Facts that are too long for a line of the log are cut to the beginning of their text. */
function boundedExtra(extra: Record<string, unknown>): unknown {
  const text = JSON.stringify(extra);
  return text.length > MOST_EXTRA ? `${text.slice(0, MOST_EXTRA)}…` : extra;
}

/** Operations about the server itself. */
export function serverOperations({ logger, environment: { catalog }, nodes }: Surface): Operation[] {
  // Clients dispose after a login, to have everything read anew.
  const dispose = async (): Promise<true> => {
    catalog.refresh();
    nodes?.tell({ kind: "refresh" });
    return true;
  };
  const disposing = { note: "asks the agents again for their models and modes; ends no session" };
  return [
    get("/global/health", "global.health", async () => ({ healthy: true, version: OPENCODE_VERSION })),
    post("/log", "app.log", { note: "a line of Parley's log; long ones are cut", body: entry }, async ({ body }) => {
      const { service, level, message, extra } = body;
      const fields = { service: service.slice(0, MOST_SERVICE), ...(extra && { extra: boundedExtra(extra) }) };
      logger[level](fields, message.slice(0, MOST_MESSAGE));
      return true;
    }),
    post("/instance/dispose", "instance.dispose", disposing, dispose),
    post("/global/dispose", "global.dispose", disposing, dispose),
  ];
}
