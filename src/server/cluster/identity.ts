import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";

/**
 * The identity of a data directory among all nodes: made once, kept in the directory. The host's name is a part of it, because
 * the lock that proves earlier starts dead is the host's, and a copied directory is another one.
 */
export function directoryIdentity(dataDirectory: string): string {
  const file = join(dataDirectory, "node-id");
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomUUID()}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return `${readFileSync(file, "utf8").trim()}@${hostname()}`;
}
