import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const NAME = /@([^\s`,]+)/g;
const HERE: ReadonlySet<string> = new Set(["", ".", ".."]);

/** A name with each of its ends that a dot could be the end of a sentence after. */
function readings(name: string): string[] {
  const dots = [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
  return [name, ...dots.filter((one) => !HERE.has(one) && !one.endsWith("/"))];
}

/** The directory that names in a command's text are read from: the root of the repository, where there is one. */
function rootOf(directory: string): string {
  const parent = dirname(directory);
  return parent === directory || existsSync(join(directory, ".git")) ? directory : rootOf(parent);
}

/** The files that a text may name by `@`, as far as they are there. */
export function namedFiles(text: string, directory: string, home: string): string[] {
  const roots = [directory, rootOf(directory)];
  const paths = [...text.matchAll(NAME)]
    .flatMap(([, name = ""]) => readings(name))
    .flatMap((name) =>
      name.startsWith("~/") ? [join(home, name.slice(2))] : roots.map((root) => resolve(root, name)),
    );
  return [...new Set(paths)].filter((path) => existsSync(path));
}
