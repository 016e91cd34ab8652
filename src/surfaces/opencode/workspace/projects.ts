import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { keepNewest } from "../../../core/entries.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import type { Nodes } from "../nodes/contract.ts";
import { GLOBAL_PROJECT, type ProjectPlace, projectOf } from "./project.ts";

/** Facts that people give a project. */
export interface ProjectFacts {
  name?: string;
  icon?: { url?: string; override?: string; color?: string };
  commands?: { start?: string };
}

/** A project in OpenCode's form. */
export interface Project extends ProjectFacts {
  id: string;
  worktree: string;
  vcs?: "git";
  time: { created: number; updated: number; initialized?: number };
  /** Its linked checkouts. */
  sandboxes: string[];
}

interface Kept {
  project: Project;
  /** Where clients have been in it. */
  directories: string[];
}

export interface ProjectsOptions {
  /** Where they are kept. */
  file: string;
  /** The nodes that they are kept with instead. */
  nodes?: Nodes | undefined;
  logger: Logger;
  now?(): number;
}

const MAX_PROJECTS = 1_000;
const MAX_DIRECTORIES = 200;
/** That a project was opened is worth a write so often at most. */
const OPENED_MS = 60_000;

/** A list that was read from the database serves so long: another node may have changed it, and its word of that may be lost. */
const FRESH_MS = 3_000;

type All = Map<string, Kept>;

/** The projects that clients have opened, with what they say of them: in a file, or in the database for all nodes of a place. */
export class Projects {
  readonly #options: ProjectsOptions;
  readonly #now: () => number;
  #loading: Promise<All> | undefined;
  #until = Number.POSITIVE_INFINITY;
  #saving = Promise.resolve();

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The project of a directory, which counts as opened by it. */
  async current(directory: string): Promise<Project> {
    const place = projectOf(directory);
    const now = this.#now();
    const open = (all: All): { project: Project; changed: boolean } => opened(all, directory, place, now);
    const { project, changed } = open(await this.#all());
    if (changed) this.#save(open);
    return project;
  }

  async list(): Promise<Project[]> {
    return [...(await this.#all()).values()].map(({ project }) => project);
  }

  async find(id: string): Promise<Project | undefined> {
    return (await this.#all()).get(id)?.project;
  }

  async directories(id: string): Promise<string[]> {
    return (await this.#all()).get(id)?.directories ?? [];
  }

  async update(id: string, facts: ProjectFacts): Promise<Project | undefined> {
    const now = this.#now();
    const change = (all: All): Project | undefined => {
      const kept = all.get(id);
      if (kept) kept.project = { ...kept.project, ...present(facts), time: { ...kept.project.time, updated: now } };
      return kept?.project;
    };
    const project = change(await this.#all());
    if (!project) return undefined;
    this.#save(change);
    // A change that was confirmed to a client must be there after a restart.
    await this.saved();
    return project;
  }

  /** Takes a linked checkout that is gone out of a project. */
  async forget(id: string, directory: string): Promise<void> {
    const change = (all: All): boolean => {
      const kept = all.get(id);
      if (!kept) return false;
      kept.project.sandboxes = kept.project.sandboxes.filter((one) => one !== directory);
      kept.directories = kept.directories.filter((one) => one !== directory && !one.startsWith(`${directory}/`));
      return true;
    };
    if (change(await this.#all())) this.#save(change);
  }

  /** Resolves when everything is kept. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  /** Another node has changed them. */
  outdated(): void {
    this.#until = 0;
  }

  #all(): Promise<All> {
    if (this.#now() >= this.#until) this.#loading = undefined;
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<All> {
    const { file, logger, nodes } = this.#options;
    if (nodes) {
      // Entries that are being written here must be in it.
      await this.#saving;
      this.#until = this.#now() + FRESH_MS;
      return projectsIn(await nodes.read(nameOf(nodes)));
    }
    try {
      return projectsIn(await readFile(file, "utf8"));
    } catch (error) {
      if (codeOf(error) !== "ENOENT")
        logger.warn({ file, reason: messageOf(error) }, "the list of projects could not be read: a new one is begun");
      return new Map();
    }
  }

  /** Nothing is lost but names when it fails, so that it is only logged. `change`: what was changed, to be done again to what others have written. */
  #save(change: (all: All) => unknown): void {
    const { file, logger, nodes } = this.#options;
    this.#saving = this.#saving
      .then(() => (nodes ? this.#share(nodes, change) : this.#write()))
      .catch((error) => logger.warn({ file, reason: messageOf(error) }, "the list of projects could not be written"));
  }

  async #write(): Promise<void> {
    const { file } = this.#options;
    const all = await this.#all();
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, textOf(all), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async #share(nodes: Nodes, change: (all: All) => unknown): Promise<void> {
    await nodes.change(nameOf(nodes), (before) => {
      const all = projectsIn(before);
      change(all);
      return textOf(all);
    });
    this.outdated();
    nodes.tell({ kind: "projects" });
  }
}

function nameOf({ place }: Nodes): string {
  return `opencode.projects.${place}`;
}

function projectsIn(text = "[]"): All {
  const kept = JSON.parse(text) as Kept[];
  return new Map(kept.map((one) => [one.project.id, one]));
}

function textOf(all: All): string {
  return JSON.stringify([...all.values()]);
}

/** The project of a directory, which is put among them. */
function opened(all: All, directory: string, place: ProjectPlace, now: number): { project: Project; changed: boolean } {
  const { id, vcs } = place;
  const fresh = { id, worktree: place.worktree, sandboxes: [], time: { created: now, updated: now } };
  const kept: Kept = all.get(id) ?? { project: fresh, directories: [] };
  if (!all.has(id)) keepNewest(all, id, kept, MAX_PROJECTS);
  const { project } = kept;
  // A repository without a commit has no id of its own yet.
  if (id === GLOBAL_PROJECT)
    return { project: { ...project, ...present({ worktree: place.worktree, vcs }) }, changed: false };
  let changed = now - project.time.updated > OPENED_MS || project.vcs !== vcs;
  if (vcs) project.vcs = vcs;
  changed = note(project.sandboxes, place.root === project.worktree ? undefined : place.root) || changed;
  changed = note(kept.directories, directory) || changed;
  if (changed) project.time = { ...project.time, updated: now };
  return { project, changed };
}

/** Adds what is not there yet; the first go when there are too many. */
function note(list: string[], one: string | undefined): boolean {
  if (one === undefined || list.includes(one)) return false;
  list.push(one);
  if (list.length > MAX_DIRECTORIES) list.shift();
  return true;
}
