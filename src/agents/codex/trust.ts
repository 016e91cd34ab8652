import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Fields } from "../../core/json/fields.ts";

/** The program compares real paths: a link would let the project in under its other name. */
function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

/**
 * The user's word about a directory, in the program's configuration for one thread. It is always said: without it the program trusts the directory by itself in some
 * modes, and writes that to its own configuration. The program takes the settings of directories above, too, so all of those are named where one is not trusted.
 */
export function trustConfig(directory: string, trusted: boolean): Fields {
  const real = realPath(directory);
  const levels = trusted ? [[real, "trusted"]] : upwards(real).map((path) => [path, "untrusted"]);
  return { projects: Object.fromEntries(levels.map(([path, level]) => [path, { trust_level: level }])) };
}
