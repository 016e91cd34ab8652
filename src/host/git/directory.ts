import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where a checkout keeps what it is made of. */
export interface GitDirectory {
  /** The directory of the checkout's files. */
  root: string;
  /** The checkout's own directory, with its index and its HEAD. */
  own: string;
  /** The directory that all checkouts of the repository share: its configuration, its history. */
  common: string;
}

const MAX_BYTES = 256 * 1024;

/** A small file's text. A pipe or a device in its place is not waited for: all sessions would wait. */
export function smallText(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return undefined;
    const bytes = Buffer.alloc(MAX_BYTES);
    let length = 0;
    for (let read = -1; read !== 0 && length < MAX_BYTES; length += read)
      read = readSync(fd, bytes, length, MAX_BYTES - length, length);
    return bytes.toString("utf8", 0, length).trim();
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** A linked checkout and a submodule have a file in place of the directory, which says where that is. */
function followed(dotGit: string): string | undefined {
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) return dotGit;
  const target = smallText(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  return target === undefined ? undefined : resolve(dirname(dotGit), target);
}

/** Git's own signs of a repository. Without them it looks further up: sandboxes leave empty directories of that name behind. */
function isRepository({ own, common }: GitDirectory): boolean {
  try {
    // HEAD may be a link that leads nowhere yet.
    lstatSync(join(own, "HEAD"));
    return ["objects", "refs"].every((name) => statSync(join(common, name)).isDirectory());
  } catch {
    return false;
  }
}

/** The checkout that a directory lies in, by its files alone. */
export function gitDirectoryOf(directory: string): GitDirectory | undefined {
  for (let root = directory; ; root = dirname(root)) {
    const own = followed(join(root, ".git"));
    if (own !== undefined) {
      const shared = smallText(join(own, "commondir"));
      const found = { root, own, common: shared === undefined ? own : resolve(own, shared) };
      if (isRepository(found)) return found;
    }
    if (root === dirname(root)) return undefined;
  }
}

/** The address that a repository was cloned from. */
export function originOf({ common }: GitDirectory): string | undefined {
  const config = smallText(join(common, "config")) ?? "";
  const section = config.split(/^\s*\[/m).find((one) => /^remote\s+"origin"\]/.test(one));
  return section?.match(/^\s*url\s*=\s*(.+?)\s*$/m)?.[1];
}

/** The id that OpenCode itself once gave a repository; it keeps it there. */
export function keptIdOf({ common }: GitDirectory): string | undefined {
  const id = smallText(join(common, "opencode"));
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
