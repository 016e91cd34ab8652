import type { Git } from "../../../../host/git/git.ts";
import { projectOf } from "../project.ts";
import { unquoted } from "./quoted-path.ts";

/** So many names fit into the arguments of a command, however long they are. */
const AT_ONCE = 400;

/** Which of the paths git leaves out. Outside of a repository none is. */
export async function ignoredOf(git: Git, directory: string, paths: readonly string[]): Promise<Set<string>> {
  const ignored = new Set<string>(paths.filter((path) => path === ".git/" || path.endsWith("/.git/")));
  if (projectOf(directory).vcs !== "git") return ignored;
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE).filter((path) => !ignored.has(path));
    if (some.length === 0) continue;
    const { text } = await git(directory, ["check-ignore", "--", ...some]);
    for (const path of text.split("\n")) if (path !== "") ignored.add(unquoted(path));
  }
  return ignored;
}
