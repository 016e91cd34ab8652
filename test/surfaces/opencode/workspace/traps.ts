import { spawnSync } from "node:child_process";
import { appendFile, chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporary } from "../../../support/server.ts";
import { files, git } from "../rig.ts";

type Test = Parameters<typeof temporary>[0];

/** A repository whose own files name programs for git to run. Each program leaves a marker with its name. */
export interface Trapped {
  directory: string;
  /** The names of those that were run since the last look. */
  markers(): Promise<string[]>;
}

/** A program that leaves a marker and passes on what it is given. */
function bait(folder: string, name: string): string {
  return `sh -c 'touch ${join(folder, name)}; cat' bait`;
}

async function changed(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await writeFile(join(directory, name), `changed\n`);
    // So that git has to read the file to know.
    await utimes(join(directory, name), new Date(), new Date(Date.now() + 60_000));
  }
}

/** The files that drivers of the repository are for. */
export const DRIVEN = ["a.clean", "b.smudge", "c.process", "d.textconv", "e.command", "f.included", "g.global"];

const CONFIG = (bait: (name: string) => string, folder: string, included: string): string => `
[filter "clean"]
	clean = ${bait("filter-clean")}
[filter "smudge"]
	smudge = ${bait("filter-smudge")}
	required = true
[filter "process"]
	process = ${bait("filter-process")}
[diff "textconv"]
	textconv = ${bait("diff-textconv")}
[diff "command"]
	command = ${bait("diff-command")}
[diff]
	submodule = diff
[core]
	fsmonitor = "touch ${folder}/fsmonitor; false"
	pager = ${bait("pager")}
	editor = ${bait("editor")}
	sshCommand = ${bait("ssh")}
	askPass = ${bait("askpass")}
	alternateRefsCommand = ${bait("alternate-refs")}
[credential]
	helper = "!${bait("credential")}"
[gpg]
	program = ${bait("gpg")}
[log]
	showSignature = true
[pager]
	diff = ${bait("pager-diff")}
	config = ${bait("pager-config")}
[trace2]
	eventTarget = ${folder}/trace2
[submodule]
	recurse = true
[include]
	path = ${included}
`;

const HOOKS = ["post-index-change", "reference-transaction", "pre-commit", "post-checkout", "post-applypatch"];

async function withHooks(gitDirectory: string, folder: string, prefix: string): Promise<void> {
  await mkdir(join(gitDirectory, "hooks"), { recursive: true });
  for (const name of HOOKS) {
    const hook = join(gitDirectory, "hooks", name);
    await writeFile(hook, `#!/bin/sh\ntouch ${folder}/${prefix}${name}\n`);
    await chmod(hook, 0o755);
  }
}

/** A program that no configuration has to quote. */
async function program(folder: string, name: string): Promise<string> {
  const path = join(folder, `${name}.sh`);
  await writeFile(path, `#!/bin/sh\ntouch ${folder}/markers/${name}\nexit 1\n`);
  await chmod(path, 0o755);
  return path;
}

async function trapFolder(t: Test): Promise<{ folder: string; markers: Trapped["markers"]; base: string }> {
  const base = await temporary(t);
  const folder = join(base, "markers");
  await mkdir(folder);
  return {
    base,
    folder,
    async markers() {
      const found = (await readdir(folder)).sort();
      for (const name of found) await rm(join(folder, name));
      return found;
    },
  };
}

/** A repository with a trap of every kind that reading it could spring, a submodule with its own among them. */
export async function trappedRepository(t: Test): Promise<Trapped> {
  const { base, folder, markers } = await trapFolder(t);
  const directory = join(base, "project");
  await mkdir(directory);
  await git(directory, "init", "--quiet");
  const inner = join(directory, "sub");
  await mkdir(inner);
  await git(inner, "init", "--quiet");
  await files(inner, { "s.txt": "one\n" });
  await git(inner, "add", "--all");
  await git(inner, "commit", "--quiet", "--message", "inner");
  const attributes = [
    "*.clean filter=clean",
    "*.smudge filter=smudge",
    "*.process filter=process",
    "*.textconv diff=textconv",
    "*.command diff=command",
    "*.included filter=included",
    "*.global filter=lfs",
  ];
  await files(directory, Object.fromEntries(DRIVEN.map((name) => [name, "first\n"])));
  await writeFile(join(directory, ".gitmodules"), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", "outer");
  const included = join(base, "included");
  const bite = (name: string): string => `"${bait(folder, name).replaceAll('"', '\\"')}"`;
  await writeFile(included, `[filter "included"]\n\tclean = ${bite("filter-included")}\n`);
  await appendFile(join(directory, ".git", "config"), CONFIG(bite, folder, included));
  await writeFile(join(directory, ".gitattributes"), `${attributes.join("\n")}\n`);
  await withHooks(join(directory, ".git"), folder, "hook-");
  const sub = `[core]\n\tfsmonitor = "touch ${folder}/submodule-fsmonitor; false"\n[filter "s"]\n\tclean = ${bite("submodule-filter")}\n`;
  await appendFile(join(inner, ".git", "config"), sub);
  await writeFile(join(inner, ".gitattributes"), "* filter=s\n");
  await changed(inner, ["s.txt"]);
  await changed(directory, DRIVEN);
  await files(directory, { "new.clean": "new\n" });
  await markers();
  return { directory, markers };
}

/** The configuration of a user with a filter for all repositories, as Git LFS has one. */
export async function globalFilter(t: Test): Promise<{ file: string; markers: Trapped["markers"] }> {
  const { base, folder, markers } = await trapFolder(t);
  const file = join(base, "gitconfig");
  await writeFile(file, `[filter "lfs"]\n\tclean = "${bait(folder, "filter-global")}"\n`);
  return { file, markers };
}

/** A partial clone, whose missing file git would fetch by the program that the repository names. */
export async function promisedRepository(t: Test): Promise<Trapped> {
  const { base, folder, markers } = await trapFolder(t);
  const directory = join(base, "project");
  await mkdir(directory);
  await git(directory, "init", "--quiet");
  await files(directory, { "a.txt": "one\n" });
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", "first");
  const blob = await git(directory, "rev-parse", "HEAD:a.txt");
  await rm(join(directory, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
  await mkdir(join(base, "markers"), { recursive: true });
  const fetches = await program(base, "fetch");
  const remote = `[remote "origin"]\n\turl = ext::${fetches}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n`;
  const more = '[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n';
  const config = join(directory, ".git", "config");
  const before = await readFile(config, "utf8");
  await writeFile(
    config,
    `${before.replace("repositoryformatversion = 0", "repositoryformatversion = 1")}${remote}${more}`,
  );
  await changed(directory, ["a.txt"]);
  await rm(join(folder, "fetch"), { force: true });
  return { directory, markers };
}

/** A directory of a project that looks like a bare repository, with traps in what looks like its configuration. */
export async function disguisedRepository(t: Test): Promise<Trapped> {
  const { base, folder, markers } = await trapFolder(t);
  const directory = join(base, "project");
  await mkdir(directory);
  await git(directory, "init", "--quiet", "--bare");
  await writeFile(
    join(directory, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tworktree = ${base}\n\tfsmonitor = "touch ${folder}/bare-fsmonitor; false"\n`,
  );
  await withHooks(directory, folder, "bare-");
  return { directory, markers };
}

/** As anybody would run it, by its own configuration. What it says and how it ends does not matter. */
export function plainGit(directory: string, args: readonly string[], env: object = {}): void {
  spawnSync("git", [...args], { cwd: directory, env: { ...process.env, ...env }, stdio: "ignore", timeout: 20_000 });
}
