import { createMemoryLog } from "../../src/log/memory/log.ts";
import { createTables } from "../../src/log/memory/tables.ts";
import type { LogPlace } from "./place.ts";

export async function memoryPlace(): Promise<LogPlace> {
  const tables = createTables();
  return {
    open: async (options) => createMemoryLog({ tables, report: () => undefined, ...options }),
    indexedTo: async () => undefined,
    destroy: async () => undefined,
  };
}
