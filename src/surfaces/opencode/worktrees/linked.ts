import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "../../../core/errors.ts";
import { type GitDirectory, gitDirectoryOf, smallText } from "../../../host/git/directory.ts";
import { type Git, records } from "../../../host/git/git.ts";
import { forgetProject } from "../workspace/project.ts";
import { realOr } from "./folder.ts";

/** A checkout of a repository beside its main one. */
export interface Linked {
  directory: string;
  branch?: string;
}

/** Git's own reason why something could not be done. */
export class GitRefused extends Error {}

/** The time that git may take to write the files of a checkout. */
const CHECKOUT_MS = 10 * 60_000;
const BRANCHES = "refs/heads/";
/** The commit that a new branch had before. */
const NONE = "";

async function asked(git: Git, directory: string, args: readonly string[], limitMs?: number): Promise<string> {
  const { text, code } = await git(directory, args, { errors: "shown", ...(limitMs ? { limitMs } : {}) });
  if (code === 0) return text.trim();
  throw new GitRefused(text.trim().slice(0, 500) || (code === 127 ? "git is not installed" : `git ended with ${code}`));
}

/** Makes a directory that was not there. Returns whether it was made. */
async function made(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  return mkdir(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    },
  );
}

function repositoryOf(directory: string): GitDirectory {
  const found = gitDirectoryOf(directory);
  if (!found) throw new GitRefused(`${directory} is in no git repository`);
  if (existsSync(join(found.common, "reftable")))
    throw new GitRefused("the repository keeps its branches as a reftable: make it with `git worktree add`");
  return found;
}

/** The directories in which a repository keeps the state of its linked checkouts. */
async function states({ common }: GitDirectory): Promise<{ state: string; directory: string }[]> {
  const folder = join(common, "worktrees");
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name) => {
    const state = join(folder, name);
    const file = await readFile(join(state, "gitdir"), "utf8").catch(() => "");
    return file.trim() === "" ? [] : [{ state, directory: dirname(resolve(state, file.trim())) }];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Whether a directory is a checkout of the repository: its `.git` leads to a state, and the state leads back. A repository may name any
 * directory as its checkout, and an agent may remove or change the `.git`: git would then work on the repository that the directory lies in.
 */
function isLinked(directory: string, repository: GitDirectory | undefined): boolean {
  const found = gitDirectoryOf(directory);
  if (!found || !repository || found.root !== directory) return false;
  const back = smallText(join(found.own, "gitdir"));
  return (
    back !== undefined &&
    realOr(dirname(resolve(found.own, back))) === realOr(directory) &&
    realOr(dirname(found.own)) === realOr(join(repository.common, "worktrees"))
  );
}

function assertLinked(directory: string, source: string): void {
  if (!isLinked(directory, gitDirectoryOf(source)))
    throw new GitRefused(`${directory} is no checkout of the repository: its .git is gone or leads elsewhere`);
}

/**
 * The linked checkouts of a repository, without those whose directory is gone. In `folder`, where all directories are Parley's own, one without
 * its `.git` is among them: a crash during its removal leaves that.
 */
export async function linkedOf(git: Git, directory: string, folder: string): Promise<Linked[]> {
  const listed: Linked[] = [];
  for (const line of records(await git(directory, ["worktree", "list", "--porcelain", "-z"]))) {
    const [key = "", value = ""] = [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)];
    const last = listed.at(-1);
    if (key === "worktree") listed.push({ directory: value });
    else if (key === "branch" && last) last.branch = value.replace(BRANCHES, "");
  }
  const repository = gitDirectoryOf(directory);
  const isLeft = (path: string): boolean =>
    path.startsWith(`${folder}/`) && realOr(path) === path && !existsSync(join(path, ".git"));
  // The first is the main one.
  return listed
    .slice(1)
    .filter((one) => existsSync(one.directory))
    .filter((one) => isLinked(one.directory, repository) || isLeft(one.directory));
}

/**
 * Makes a checkout without files, on a new branch or on none. Returns false when the directory or the branch is there.
 * Git's own command would write the path of the shadow into it, and runs hooks; these files are all that it writes. A
 * crash leaves a branch, or a state without a directory, which git prunes.
 */
export async function addLinked(git: Git, source: string, { directory, branch }: Linked): Promise<boolean> {
  const repository = repositoryOf(source);
  const head = await asked(git, source, ["rev-parse", "--verify", "HEAD^{commit}"]).catch(() => {
    throw new GitRefused("the repository has no commit yet: make one first");
  });
  const ref = branch === undefined ? undefined : `${BRANCHES}${branch}`;
  if (ref !== undefined && (await git(source, ["show-ref", "--verify", "--quiet", ref])).code === 0) return false;
  if (!(await made(directory))) return false;
  let state = join(repository.common, "worktrees", basename(directory));
  for (let count = 1; !(await made(state)); count++)
    state = join(repository.common, "worktrees", `${basename(directory)}${count}`);
  try {
    await writeFile(join(state, "commondir"), "../..\n");
    await writeFile(join(state, "HEAD"), ref === undefined ? `${head}\n` : `ref: ${ref}\n`);
    await writeFile(join(state, "gitdir"), `${join(directory, ".git")}\n`);
    await writeFile(join(directory, ".git"), `gitdir: ${state}\n`);
    if (ref !== undefined) await asked(git, source, ["update-ref", ref, head, NONE]);
  } catch (error) {
    await Promise.all([state, directory].map((path) => rm(path, { recursive: true, force: true })));
    throw error;
  }
  forgetProject(directory);
  return true;
}

/** Puts all files of a linked checkout as a commit has them; the commit of its HEAD unless told. */
export async function checkOut(git: Git, source: string, directory: string, commit = "HEAD"): Promise<void> {
  assertLinked(directory, source);
  await asked(git, directory, ["reset", "--hard", "--quiet", commit, "--"], CHECKOUT_MS);
}

/** Removes all files that are not of the commit, ignored ones too. */
export async function clean(git: Git, source: string, directory: string): Promise<void> {
  assertLinked(directory, source);
  await asked(git, directory, ["clean", "-ffdxq"], CHECKOUT_MS);
}

/** Removes a checkout with everything in it; `branch` goes with it. */
export async function removeLinked(git: Git, source: string, { directory, branch }: Linked): Promise<void> {
  const repository = repositoryOf(source);
  const own = (await states(repository)).filter((one) => one.directory === directory);
  if (own.some(({ state }) => existsSync(join(state, "locked"))))
    throw new GitRefused(`${directory} is locked: \`git worktree unlock\` unlocks it`);
  // The state goes last: what a crash leaves of the files is still known as a checkout.
  await rm(directory, { recursive: true, force: true });
  for (const { state } of own) await rm(state, { recursive: true, force: true });
  if (branch !== undefined) await asked(git, repository.root, ["update-ref", "-d", `${BRANCHES}${branch}`]);
  forgetProject(directory);
}

/** Removes the states of checkouts in a folder whose directory is gone. */
export async function pruneIn(folder: string, source: string): Promise<void> {
  for (const { state, directory } of await states(repositoryOf(source)))
    if (directory.startsWith(`${folder}/`) && !existsSync(directory)) await rm(state, { recursive: true, force: true });
}
