import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

const run = promisify(execFile);

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
