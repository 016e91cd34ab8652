import { readFileSync } from "node:fs";
import { messageOf } from "../../core/errors.ts";
import { checkToken, loadToken, tokenPath } from "../../server/guards/token.ts";
import type { Credential } from "../config/kinds.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../exit.ts";

export interface ServerToken {
  token: string;
  /** The file it can be read from, if there is one. */
  file?: string;
}

export function readTokenFile(file: string): string {
  try {
    return checkToken(readFileSync(file, "utf8").trim(), file);
  } catch (thrown) {
    throw new CliError(`the token cannot be read from ${file}: ${messageOf(thrown)}`);
  }
}

export function credentialToken(credential: Credential): string {
  return "file" in credential ? readTokenFile(credential.file) : credential.token;
}

/** The token that a server asks for: the one that was given, else the one of the data directory. */
export function serverToken({ credential, dataDir }: Settings): ServerToken {
  if (!credential) return { token: loadToken(dataDir), file: tokenPath(dataDir) };
  const token = loadToken(dataDir, credentialToken(credential));
  return "file" in credential ? { token, file: credential.file } : { token };
}
