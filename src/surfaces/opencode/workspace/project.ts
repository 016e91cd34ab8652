import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { keepNewest } from "../../../core/entries.ts";
import { type GitDirectory, gitDirectoryOf, keptIdOf, originOf } from "../../../host/git/directory.ts";
import { gitNow } from "../../../host/git/git.ts";

/** Which project a directory belongs to. */
export interface ProjectPlace {
  /** As OpenCode has it: of the address a repository was cloned from, else its first commit; `global` outside of any. */
  id: string;
  /** The project's main directory: `/` outside of a repository. */
  worktree: string;
  /** The checkout that the directory lies in; the same unless that is a linked one. */
  root: string;
  vcs?: "git";
}

export const GLOBAL_PROJECT = "global";

/** Clients name any directory, so that what is remembered of them must be bounded. */
const MAX_KNOWN = 2_000;
/** To look again is a few looks at the disk; for a repository its configuration is read, too. */
const FRESH_MS = 10_000;
const NONE_FRESH_MS = 1_000;

const known = new Map<string, { place: ProjectPlace; until: number }>();
/** The projects of directories that are on other machines, as nodes there have said. */
const learned = new Map<string, ProjectPlace>();
const firstCommits = new Map<string, string>();

/** `host/owner/name`, however the address is written; nothing for a repository on this machine. */
export function remoteName(address: string): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol === "file:") return undefined;
  const [, host, path] = url ? ["", url.hostname, url.pathname] : (/^(?:[^@/:]+@)?([^/:]+):(.+)$/.exec(address) ?? []);
  const name = path
    ?.replace(/^\/+/, "")
    .replace(/\.git\/?$/, "")
    .replace(/\/+$/, "");
  return host && name ? `${host.toLowerCase()}/${name}` : undefined;
}

/**
 * Views of sessions are made without waiting, and need the id. This one call of git is waited for in place: it is rare,
 * because most repositories have an address, short, and done once for a repository.
 */
function firstCommit(git: GitDirectory): string | undefined {
  const { common } = git;
  const before = firstCommits.get(common);
  if (before !== undefined) return before || undefined;
  const { text, timedOut } = gitNow(git, ["rev-list", "--max-parents=0", "HEAD"]);
  const [first = ""] = text?.trim().split("\n").sort() ?? [];
  // Nobody waits a second time for a repository that cannot be read.
  if (first || timedOut) firstCommits.set(common, first);
  return first || undefined;
}

function idOf(git: GitDirectory): string {
  const remote = remoteName(originOf(git) ?? "");
  if (remote !== undefined) return createHash("sha1").update(`git-remote:${remote}`).digest("hex");
  return keptIdOf(git) ?? firstCommit(git) ?? GLOBAL_PROJECT;
}

function find(directory: string): ProjectPlace {
  const git = gitDirectoryOf(directory);
  if (!git) return { id: GLOBAL_PROJECT, worktree: "/", root: "/" };
  const { root, common } = git;
  return { id: idOf(git), worktree: basename(common) === ".git" ? dirname(common) : root, root, vcs: "git" };
}

/** The project of a directory. Found once, and looked at again now and then: somebody may make a repository of it. */
export function projectOf(directory: string): ProjectPlace {
  const told = learned.get(directory);
  if (told) return told;
  const now = Date.now();
  const before = known.get(directory);
  if (before && now < before.until) return before.place;
  const place = find(directory);
  keepNewest(known, directory, { place, until: now + (place.vcs ? FRESH_MS : NONE_FRESH_MS) }, MAX_KNOWN);
  return place;
}

/** Says which project a directory of another machine belongs to; undefined for one that is here, or of which nothing is known. */
export function learnProject(directory: string, place: ProjectPlace | undefined): void {
  if (place) keepNewest(learned, directory, place, MAX_KNOWN);
  else learned.delete(directory);
}

/** After a change that is known of. */
export function forgetProject(directory: string): void {
  known.delete(directory);
}
