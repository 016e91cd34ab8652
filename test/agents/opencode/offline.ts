import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { present } from "../../../src/core/json/fields.ts";
import { INSTALLABLE } from "../../../src/install/catalog.ts";

/** With a plugin the program waits until the package that plugins import is installed, by the network: here it seems to be. */
export function alreadyInstalled(): Record<string, object> {
  const [name, version] = ["@opencode-ai/plugin", INSTALLABLE.opencode.version];
  const dependencies = { [name]: version };
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version } };
  return {
    "package.json": { dependencies },
    "package-lock.json": { name: "opencode", lockfileVersion: 3, requires: true, packages },
    [`node_modules/${name}/package.json`]: { name, version },
  };
}

/** Writes that into the settings of a home. */
export function installInto(config: string): void {
  for (const [path, content] of Object.entries(alreadyInstalled())) {
    const file = join(config, "opencode", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content));
  }
}

/** Nothing is asked of the network: no update, no catalogue, no language server, no plugin. */
export const QUIET: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  // An empty one for tests: see `scripts/test.ts`.
  ...present({ OPENCODE_MODELS_PATH: process.env.OPENCODE_MODELS_PATH }),
};
