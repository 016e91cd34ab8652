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
