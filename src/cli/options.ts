import type { Credential } from "./config/kinds.ts";
import type { Layer } from "./config/settings.ts";

/** The values of options that many commands have. */
export interface CommonFlags {
  dataDir?: string;
  json?: boolean;
}

/** The values of `tokenOptions`. */
export interface TokenFlags {
  token?: Credential;
  tokenFile?: Credential;
}

/** The settings in the flags of a command that starts a server of its own. */
export function serverLayer({ token, tokenFile, dataDir }: TokenFlags & CommonFlags): Layer {
  return { dataDir, credential: token ?? tokenFile };
}
