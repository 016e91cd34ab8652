import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { silentLogger } from "../../../src/core/logger.ts";
import { createMetrics } from "../../../src/core/metrics.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import type { CommandHost } from "../../../src/host/contract.ts";
import type { Terminals } from "../../../src/host/terminals/contract.ts";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import type { Operation } from "../../../src/surfaces/opencode/operation.ts";
import { operations } from "../../../src/surfaces/opencode/operations.ts";
import { createSurface } from "../../../src/surfaces/opencode/surface.ts";
import { SseClients } from "../../../src/surfaces/stream/sse-clients.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

const run = promisify(execFile);

/** The operations as they are served. None of them is called here, so that nothing of what they use is needed. */
export function opencodeOperations(): Operation[] {
  const gateway = { agents: () => [], defaultAgent: "" } as unknown as Gateway;
  return operations(
    createSurface({
      gateway,
      clients: new SseClients(createMetrics()),
      commands: {} as CommandHost,
      terminals: {} as Terminals,
      version: "test",
      defaultDirectory: "/",
      dataDirectory: "/nowhere",
      logger: silentLogger,
    }),
  );
}

export interface OpencodeRig {
  server: TestServer;
  client: OpencodeClient;
}

export async function opencodeRig(t: TestContext, options: Partial<ParleyOptions> = {}): Promise<OpencodeRig> {
  const server = await startServer(t, { defaultAgent: "house", ...options });
  return { server, client: new OpencodeClient(server.parley.url) };
}

export async function git(directory: string, ...args: string[]): Promise<string> {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "init.defaultBranch=main"];
  const { stdout } = await run("git", [...who, ...args], { cwd: directory });
  return stdout.trim();
}

export async function files(directory: string, contents: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

/** A repository with one commit. */
export async function repository(t: TestContext, contents: Record<string, string | Buffer>): Promise<string> {
  const directory = await temporary(t);
  await git(directory, "init", "--quiet");
  await files(directory, contents);
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", "first");
  return directory;
}

export const inDirectory = (path: string, directory: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}directory=${encodeURIComponent(directory)}`;
