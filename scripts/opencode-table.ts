import { readFileSync, writeFileSync } from "node:fs";
import { silentLogger } from "../src/core/logger.ts";
import { createMetrics } from "../src/core/metrics.ts";
import type { Gateway } from "../src/gateway/gateway.ts";
import type { CommandHost } from "../src/host/contract.ts";
import type { Terminals } from "../src/host/terminals/contract.ts";
import type { Operation } from "../src/surfaces/opencode/operation.ts";
import { operations } from "../src/surfaces/opencode/operations.ts";
import { createSurface } from "../src/surfaces/opencode/surface.ts";
import { SseClients } from "../src/surfaces/stream/sse-clients.ts";

// Writes the table of operations in docs/opencode.md anew: `node scripts/opencode-table.ts`.

const PAGE = new URL("../docs/opencode.md", import.meta.url);
const BEGIN = "<!-- operations: written by scripts/opencode-table.ts -->";
const END = "<!-- end of operations -->";

/** The operations as they are served. None of them is called here, so that nothing of what they use is needed. */
export function opencodeOperations(): Operation[] {
  return operations(
    createSurface({
      gateway: { agents: () => [], defaultAgent: "" } as unknown as Gateway,
      clients: new SseClients(createMetrics()),
      commands: {} as CommandHost,
      terminals: { listen: () => () => {} } as unknown as Terminals,
      version: "0",
      defaultDirectory: "/",
      dataDirectory: "/nowhere",
      logger: silentLogger,
    }),
  );
}

const ORDER = ["get", "post", "put", "patch", "delete"];

function byPath(a: Operation, b: Operation): number {
  if (a.path === b.path) return ORDER.indexOf(a.method) - ORDER.indexOf(b.method);
  return a.path < b.path ? -1 : 1;
}

function tableOf(all: readonly Operation[]): string {
  const rows = all
    .toSorted(byPath)
    .map(({ method, path, support, note = "" }) => `| \`${method.toUpperCase()} ${path}\` | ${support} | ${note} |`);
  return ["| operation | here | |", "|---|---|---|", ...rows].join("\n");
}

/** The page with its table as it should be. */
export function withTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`expected ${BEGIN} and ${END} in ${PAGE.pathname}`);
  return `${before}${BEGIN}\n${tableOf(opencodeOperations())}\n${END}${after}`;
}

export function readPage(): string {
  return readFileSync(PAGE, "utf8");
}

if (import.meta.main) writeFileSync(PAGE, withTable(readPage()));
