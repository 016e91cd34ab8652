import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { arch, platform, release } from "node:os";
import { dirname } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { bytes } from "../output/table.ts";
import type { Check } from "./check.ts";

const LITTLE_BYTES = 1e9;
const TOO_LITTLE_BYTES = 1e8;

export function checkNode(): Check {
  return { name: "node", level: "ok", detail: `${process.version} (${process.execPath})` };
}

export function checkPlatform(): Check {
  const detail = `${platform()} ${release()} ${arch()}`;
  if (platform() !== "win32") return { name: "platform", level: "ok", detail };
  return { name: "platform", level: "warn", detail, advice: "Parley is made for Linux and macOS; use WSL" };
}

/** The directory, or what of the way to it exists already. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

export function checkDataDir(path: string): Check {
  const name = "data dir";
  const existing = nearestExisting(path);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is no directory`);
  } catch (thrown) {
    return { name, level: "bad", detail: messageOf(thrown), advice: "see that it belongs to you, or use --data-dir" };
  }
  if (existing !== path) return { name, level: "ok", detail: `${path} (made at the first start)` };
  const mode = statSync(path).mode & 0o777;
  const detail = `${path} (mode ${mode.toString(8).padStart(4, "0")})`;
  if ((mode & 0o077) === 0) return { name, level: "ok", detail };
  return { name, level: "warn", detail, advice: `others can look into it: chmod 700 ${path}` };
}

export function checkDisk(path: string): Check {
  const { bavail, bsize } = statfsSync(nearestExisting(path));
  const free = bavail * bsize;
  const detail = `${bytes(free)} free`;
  const facts = { freeBytes: free };
  if (free >= LITTLE_BYTES) return { name: "disk", level: "ok", detail, facts };
  const level = free < TOO_LITTLE_BYTES ? "bad" : "warn";
  return { name: "disk", level, detail, advice: "free some space: a full disk refuses prompts", facts };
}
