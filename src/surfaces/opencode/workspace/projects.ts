import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { keepNewest } from "../../../core/entries.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { GLOBAL_PROJECT, projectOf } from "./project.ts";

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
  logger: Logger;
  now?(): number;
}

const MAX_PROJECTS = 1_000;
const MAX_DIRECTORIES = 200;
/** That a project was opened is worth a write so often at most. */
const OPENED_MS = 60_000;

/** The projects that clients have opened, with what they say of them. */
export class Projects {
  readonly #options: ProjectsOptions;
  readonly #now: () => number;
  #loading: Promise<Map<string, Kept>> | undefined;
  #saving = Promise.resolve();

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The project of a directory, which counts as opened by it. */
  async current(directory: string): Promise<Project> {
    const all = await this.#all();
    const place = projectOf(directory);
    const { id, vcs } = place;
    const now = this.#now();
    const fresh = { id, worktree: place.worktree, sandboxes: [], time: { created: now, updated: now } };
    const kept = all.get(id) ?? this.#add(all, { project: fresh, directories: [] });
    const { project } = kept;
    // A repository without a commit has no id of its own yet.
    if (id === GLOBAL_PROJECT) return { ...project, ...present({ worktree: place.worktree, vcs }) };
    let changed = now - project.time.updated > OPENED_MS || project.vcs !== vcs;
    if (vcs) project.vcs = vcs;
    changed = note(project.sandboxes, place.root === project.worktree ? undefined : place.root) || changed;
    changed = note(kept.directories, directory) || changed;
    if (changed) {
      project.time = { ...project.time, updated: now };
      this.#save(all);
    }
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
    const all = await this.#all();
    const kept = all.get(id);
    if (!kept) return undefined;
    kept.project = { ...kept.project, ...present(facts), time: { ...kept.project.time, updated: this.#now() } };
    this.#save(all);
    // A change that was confirmed to a client must be there after a restart.
    await this.saved();
    return kept.project;
  }

  /** Takes a linked checkout that is gone out of a project. */
  async forget(id: string, directory: string): Promise<void> {
    const all = await this.#all();
    const kept = all.get(id);
    if (!kept) return;
    kept.project.sandboxes = kept.project.sandboxes.filter((one) => one !== directory);
    kept.directories = kept.directories.filter((one) => one !== directory && !one.startsWith(`${directory}/`));
    this.#save(all);
  }

  /** Resolves when everything is on the disk. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  #add(all: Map<string, Kept>, kept: Kept): Kept {
    keepNewest(all, kept.project.id, kept, MAX_PROJECTS);
    return kept;
  }

  #all(): Promise<Map<string, Kept>> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Map<string, Kept>> {
    const { file, logger } = this.#options;
    try {
      const kept = JSON.parse(await readFile(file, "utf8")) as Kept[];
      return new Map(kept.map((one) => [one.project.id, one]));
    } catch (error) {
      if (codeOf(error) !== "ENOENT")
        logger.warn({ file, reason: messageOf(error) }, "the list of projects could not be read: a new one is begun");
      return new Map();
    }
  }

  /** Nothing is lost but names when it fails, so that it is only logged. */
  #save(all: Map<string, Kept>): void {
    const { file, logger } = this.#options;
    this.#saving = this.#saving
      .then(async () => {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(`${file}.new`, JSON.stringify([...all.values()]), { mode: 0o600 });
        await rename(`${file}.new`, file);
      })
      .catch((error) => logger.warn({ file, reason: messageOf(error) }, "the list of projects could not be written"));
  }
}

/** Adds what is not there yet; the first go when there are too many. */
function note(list: string[], one: string | undefined): boolean {
  if (one === undefined || list.includes(one)) return false;
  list.push(one);
  if (list.length > MAX_DIRECTORIES) list.shift();
  return true;
}
