import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { present } from "../../../../core/json/fields.ts";
import { type Git, records } from "../../../../host/git/git.ts";
import type { Captured } from "../../../../host/run-to-end.ts";
import type { FileDiff } from "../../shapes/session.ts";
import { readBytes } from "../files.ts";
import { projectOf } from "../project.ts";
import { fileOfPatch, splitPatch } from "./patches.ts";

type Status = NonNullable<FileDiff["status"]>;

export interface ChangedFile {
  file: string;
  additions: number;
  deletions: number;
  status: Status;
}

const MAX_PATCH = 10_000_000;
/** Files that git does not know yet are read one by one. */
const MAX_UNTRACKED = 500;

const first = ({ text, code }: Captured): string | undefined => (code === 0 ? text.trim() || undefined : undefined);

function isRepository(directory: string): boolean {
  return projectOf(directory).vcs === "git";
}

/** The branch, and the one that work is measured against. */
export async function branches(
  git: Git,
  directory: string,
): Promise<{ branch?: string; base?: { name: string; ref: string } }> {
  if (!isRepository(directory)) return {};
  const [head, remote, configured, local] = await Promise.all([
    git(directory, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(directory, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]),
    git(directory, ["config", "init.defaultBranch"]),
    git(directory, ["for-each-ref", "--format=%(refname:short)", "refs/heads"]),
  ]);
  const branch = first(head);
  const ref = first(remote);
  const names = (first(local) ?? "").split("\n");
  const name = [first(configured), "main", "master"].find((one) => one !== undefined && names.includes(one));
  const base = ref ? { name: ref.replace(/^origin\//, ""), ref } : name ? { name, ref: name } : undefined;
  return present({ branch, base });
}

function statusOf(code: string): Status {
  if (code === "??" || (code.includes("A") && !code.includes("D"))) return "added";
  return code.includes("D") && !code.includes("A") ? "deleted" : "modified";
}

async function hasCommit(git: Git, directory: string): Promise<boolean> {
  return (await git(directory, ["rev-parse", "--verify", "--quiet", "HEAD"])).code === 0;
}

async function untracked(git: Git, directory: string): Promise<string[]> {
  const found = records(await git(directory, ["ls-files", "-z", "--others", "--exclude-standard", "--", "."]));
  return found.slice(0, MAX_UNTRACKED);
}

/** Counted without git, which would need a call for each. A link is the one line that says where it leads. */
async function linesOf(directory: string, file: string): Promise<number> {
  const found = await lstat(join(directory, file)).catch(() => undefined);
  if (found?.isSymbolicLink()) return 1;
  const bytes = await readBytes(directory, file).catch(() => undefined);
  if (!bytes || bytes.length === 0 || bytes.includes(0)) return 0;
  let lines = bytes.at(-1) === 10 ? 0 : 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

const DIFF = ["diff", "--no-color", "--no-renames", "--relative"];

/** The files that differ from a commit, with those that git does not know yet. */
async function changesFrom(git: Git, directory: string, ref: string | undefined): Promise<ChangedFile[]> {
  const against = ref === undefined ? ["--cached"] : [ref];
  const [names, counts, fresh] = await Promise.all([
    git(directory, [...DIFF, "--name-status", "-z", ...against, "--", "."]),
    git(directory, [...DIFF, "--numstat", "-z", ...against, "--", "."]),
    untracked(git, directory),
  ]);
  const lines = new Map(
    records(counts).map((record) => {
      const [added = "", removed = "", ...file] = record.split("\t");
      return [file.join("\t"), { additions: Number(added) || 0, deletions: Number(removed) || 0 }];
    }),
  );
  const pairs = records(names);
  const changed: ChangedFile[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const file = pairs[at + 1] ?? "";
    changed.push({ file, additions: 0, deletions: 0, ...lines.get(file), status: statusOf(pairs[at] ?? "") });
  }
  for (const file of fresh)
    changed.push({ file, additions: await linesOf(directory, file), deletions: 0, status: "added" });
  return changed.sort((a, b) => (a.file < b.file ? -1 : 1));
}

export async function changedFiles(git: Git, directory: string): Promise<ChangedFile[]> {
  if (!isRepository(directory)) return [];
  return changesFrom(git, directory, (await hasCommit(git, directory)) ? "HEAD" : undefined);
}

async function patchOfNew(git: Git, directory: string, file: string, unified: string[]): Promise<string> {
  const args = ["diff", "--no-index", "--no-color", ...unified, "--", "/dev/null", file];
  // It ends with 1 where there is a difference, and there always is one.
  const { text, stopped } = await git(directory, args, { maxChars: MAX_PATCH });
  return stopped ? "" : text;
}

interface Patches {
  whole: string;
  byFile: Map<string, string>;
}

async function patchesFrom(git: Git, directory: string, ref: string | undefined, context?: number): Promise<Patches> {
  const unified = context === undefined ? [] : [`--unified=${context}`];
  const against = ref === undefined ? ["--cached"] : [ref];
  const tracked = await git(directory, [...DIFF, "--patch", ...unified, ...against, "--", "."], {
    maxChars: MAX_PATCH,
  });
  const pieces = splitPatch(tracked.text);
  // One that ran into the limit is cut somewhere in its last file.
  if (tracked.stopped) pieces.pop();
  let left = MAX_PATCH - tracked.text.length;
  for (const file of await untracked(git, directory)) {
    if (left <= 0) break;
    const piece = await patchOfNew(git, directory, file, unified);
    left -= piece.length;
    pieces.push(piece);
  }
  const byFile = new Map(pieces.map((piece) => [fileOfPatch(piece) ?? "", piece]));
  return { whole: pieces.join(""), byFile };
}

export interface DiffOptions {
  /** Against the last commit, or against where the branch began. */
  mode: "git" | "branch";
  /** How many lines around a change; all of them unless said otherwise. */
  context?: number;
}

const ALL_LINES = 2_147_483_647;

export async function diffFiles(
  git: Git,
  directory: string,
  { mode, context = ALL_LINES }: DiffOptions,
): Promise<FileDiff[]> {
  const ref = await startOf(git, directory, mode);
  if (ref === null) return [];
  const [changed, { byFile }] = await Promise.all([
    changesFrom(git, directory, ref),
    patchesFrom(git, directory, ref, context),
  ]);
  return changed.map((one) => ({ ...one, patch: byFile.get(one.file) ?? "" }));
}

/** The commit to compare with; undefined where there is none yet, null where there is nothing to compare. */
async function startOf(git: Git, directory: string, mode: DiffOptions["mode"]): Promise<string | undefined | null> {
  if (!isRepository(directory)) return null;
  if (mode === "git") return (await hasCommit(git, directory)) ? "HEAD" : undefined;
  const { branch, base } = await branches(git, directory);
  if (!base || branch === base.name) return null;
  return first(await git(directory, ["merge-base", base.ref, "HEAD"])) ?? null;
}

export async function rawDiff(git: Git, directory: string): Promise<string> {
  const ref = await startOf(git, directory, "git");
  return ref === null ? "" : (await patchesFrom(git, directory, ref)).whole;
}
