import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { LockOwner } from "../../host/data-lock.ts";
import { listStrays } from "../../host/reaper.ts";
import { examineDirectory, examineIndex } from "../../log/data-log-doctor.ts";
import { instanceOf } from "../../server/instance.ts";
import { clientToken } from "../access/find-server.ts";
import type { Settings } from "../config/settings.ts";
import { bytes } from "../output/table.ts";
import { isFree } from "../serve/port.ts";
import type { Check } from "./check.ts";

const RESPONSE_MS = 3_000;

/** The server tells only a caller with the token why it is not ready. */
async function readiness(url: string, settings: Settings): Promise<{ ok: boolean; words: string }> {
  let token: string | undefined;
  try {
    token = clientToken(settings);
  } catch {
    // The check of the data directory reports a token that cannot be read.
  }
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/ready`, { headers, signal: AbortSignal.timeout(RESPONSE_MS) });
  const { detail } = (await response.json()) as { detail?: string };
  return { ok: response.ok, words: `${response.status}${detail === undefined ? "" : `, ${detail}`}` };
}

export async function checkServer(owner: LockOwner | undefined, settings: Settings): Promise<Check> {
  const name = "server";
  if (!owner) return { name, level: "ok", detail: "not running", facts: { running: false } };
  const facts = { running: true, pid: owner.pid, url: owner.url };
  const who = `pid ${owner.pid}`;
  if (!owner.url) return { name, level: "warn", detail: `${who} is starting, or does not serve`, facts };
  try {
    const { ok, words } = await readiness(owner.url, settings);
    if (ok) return { name, level: "ok", detail: `${owner.url} (${who})`, facts };
    const detail = `${owner.url} (${who}) is not ready: ${words}`;
    return { name, level: "bad", detail, advice: "docs/recovery.md says what to do", facts };
  } catch (thrown) {
    const detail = `${owner.url} (${who}) does not answer: ${messageOf(thrown)}`;
    return { name, level: "bad", detail, advice: `see what it does, or end it: kill ${owner.pid}`, facts };
  }
}

/** Only reads: a server may be writing to it. */
export function checkLog(dataDir: string): Check {
  const name = "log";
  const examined = examineDirectory(dataDir);
  if (examined.is === "missing") return { name, level: "ok", detail: "none yet" };
  if (examined.is === "bad") return { name, level: "bad", detail: examined.what, advice: examined.advice };
  const { file, bytes: size } = examined;
  return { name, level: "ok", detail: `${file} is sound (${bytes(size)})`, facts: { bytes: size } };
}

/** The index for searches: it is made from the log, so that nothing of it can be lost. */
export function checkIndex(dataDir: string): Check[] {
  const name = "index";
  const examined = examineIndex(dataDir);
  if (!examined) return [];
  if (examined.is === "missing")
    return [{ name, level: "ok", detail: "none yet: the next start of a server makes the index for searches" }];
  if (examined.is === "bad") {
    const { file, what } = examined;
    const advice = `stop the server and remove ${file}: its next start makes it anew, and no session is touched`;
    return [{ name, level: "warn", detail: `${file} cannot be used: ${what}`, advice }];
  }
  const { file, bytes: size, done, of } = examined;
  const rest = done < of ? `, ${of - done} events are still to come` : "";
  return [{ name, level: "ok", detail: `${file} is sound (${bytes(size)}${rest})`, facts: { bytes: size, done, of } }];
}

export function checkStrays(dataDir: string, owner: LockOwner | undefined): Check {
  const name = "processes";
  if (!existsSync(dataDir)) return { name, level: "ok", detail: "no stray ones" };
  const options = { runDirectory: join(dataDir, "run"), instance: instanceOf(dataDir) };
  const strays = listStrays(owner ? { ...options, owner: owner.pid } : options);
  if (strays.length === 0) return { name, level: "ok", detail: "no stray ones" };
  const pids = strays.map(({ pid }) => pid).join(" ");
  const facts = { strays };
  if (owner) {
    // The start of that server ended what was left before it, so these belong to its own agents.
    const detail = `${strays.length} that agents started have left their agent: ${pids}`;
    return { name, level: "warn", detail, advice: `they end with their session, or: kill ${pids}`, facts };
  }
  const detail = `${strays.length} of an earlier run still live: ${pids}`;
  return { name, level: "bad", detail, advice: `the next start ends them, or: kill ${pids}`, facts };
}

export async function checkPort(host: string, port: number, owner: LockOwner | undefined): Promise<Check> {
  const name = "port";
  const facts = { host, port };
  if (port === 0) return { name, level: "ok", detail: "any free one", facts };
  if (owner?.url?.endsWith(`:${port}`)) return { name, level: "ok", detail: `${port} is the server's`, facts };
  if (await isFree(host, port)) return { name, level: "ok", detail: `${port} is free`, facts };
  const advice = "serve takes another one unless --port insists";
  return { name, level: "warn", detail: `${port} is used by another program`, advice, facts };
}
