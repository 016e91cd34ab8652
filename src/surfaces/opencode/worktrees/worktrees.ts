import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../../../core/errors.ts";
import { isInside } from "../../../host/files/inside.ts";
import { gitDirectoryOf } from "../../../host/git/directory.ts";
import { capture } from "../../../host/run-to-end.ts";
import type { Surface } from "../context.ts";
import { named, type OpencodeError } from "../errors.ts";
import { branches } from "../workspace/git/vcs.ts";
import { projectOf } from "../workspace/project.ts";
import { realOr, worktreesFolder } from "./folder.ts";
import { addLinked, checkOut, clean, type Linked, linkedOf, pruneIn, removeLinked } from "./linked.ts";
import { namesFor } from "./names.ts";

/** Branches that are made and removed with their worktree. */
const PREFIX = "opencode/";
const START_MS = 10 * 60_000;
const MAX_OUTPUT = 1_000_000;

type Failure = "NotGit" | "NameGenerationFailed" | "CreateFailed" | "RemoveFailed" | "ResetFailed";

function failure(kind: Failure, message: string): OpencodeError {
  return named(400, `Worktree${kind}Error`, message);
}

function failed(kind: Failure): (error: unknown) => never {
  return (error) => {
    throw failure(kind, messageOf(error));
  };
}

export interface Worktree extends Linked {
  name: string;
  branch: string;
}

/** The worktrees that clients have made beside the main checkouts of their projects. */
export class Worktrees {
  readonly #surface: Surface;
  /** Where they are made: a folder for each project. */
  readonly #folder: string;

  constructor(surface: Surface) {
    this.#surface = surface;
    this.#folder = worktreesFolder(surface.dataDirectory);
  }

  async list(directory: string): Promise<string[]> {
    if (projectOf(directory).vcs !== "git") return [];
    const all = await linkedOf(this.#surface.environment.git, directory, this.#folder);
    return all.map((one) => one.directory).filter((one) => this.#surface.gateway.roots.has(one));
  }

  /** Makes a worktree on a branch of its own. Its files come afterwards: `worktree.ready` tells when they are there. */
  async create(source: string, wish: { name?: string; startCommand?: string }): Promise<Worktree> {
    const { git } = this.#surface.environment;
    const { id, worktree } = this.#repository(source);
    const folder = join(this.#folder, id);
    await pruneIn(this.#folder, source).catch(failed("CreateFailed"));
    for (const name of namesFor(wish.name)) {
      const made = { name, branch: `${PREFIX}${name}`, directory: join(folder, name) };
      if (!(await addLinked(git, source, made).catch(failed("CreateFailed")))) continue;
      await this.#inherit(worktree, made.directory);
      await this.#changed(made.directory);
      void this.#fill(source, made, wish.startCommand);
      return made;
    }
    throw failure("NameGenerationFailed", `every name that was tried is taken; ${folder} has them`);
  }

  /** Removes a worktree with all changes in it. One that is not there is removed already. */
  async remove(source: string, given: string): Promise<void> {
    this.#repository(source);
    const directory = this.#inRoots(given);
    if (!existsSync(directory)) return;
    const found = await this.#find(source, directory, "RemoveFailed");
    await this.drop(source, found).catch(failed("RemoveFailed"));
  }

  /** Removes a linked checkout, the branch that was made with it, and what is kept of it. */
  async drop(source: string, { directory, branch }: Linked): Promise<void> {
    const main = projectOf(source).worktree;
    const own = branch?.startsWith(PREFIX) ? { branch } : {};
    await removeLinked(this.#surface.environment.git, main, { directory, ...own });
    await this.#trust("remove", directory);
    await this.#surface.environment.projects.forget(projectOf(main).id, directory);
    await this.#changed(main);
  }

  /** Puts a worktree back to the branch that work is measured against. */
  async reset(source: string, given: string): Promise<void> {
    const { git } = this.#surface.environment;
    this.#repository(source);
    const directory = this.#inRoots(given);
    const found = await this.#find(source, directory, "ResetFailed");
    const { base } = await branches(git, directory);
    if (!base) throw failure("ResetFailed", "Default branch not found");
    const putBack = async (): Promise<void> => {
      await checkOut(git, source, found.directory, base.ref);
      await clean(git, source, found.directory);
    };
    await putBack().catch(failed("ResetFailed"));
    void this.#start(found.directory, undefined);
  }

  /** Makes a checkout without a branch at a place that the client chose. */
  async copy(source: string, directory: string): Promise<boolean> {
    const { git } = this.#surface.environment;
    if (!(await addLinked(git, source, { directory }))) return false;
    await checkOut(git, source, directory);
    await this.#inherit(projectOf(source).worktree, directory);
    await this.#changed(directory);
    return true;
  }

  /** The linked checkout at a directory, which no session may be working in. */
  async linkedAt(source: string, directory: string): Promise<Linked | undefined> {
    const all = await linkedOf(this.#surface.environment.git, source, this.#folder);
    const found = all.find((one) => one.directory === directory);
    if (!found) return undefined;
    const busy = (await this.#surface.gateway.log.unsettled()).find(
      (state) => state.turn && isInside(directory, state.directory),
    );
    if (busy) throw new Error(`session ${busy.id} works in ${directory}: abort it first`);
    return found;
  }

  #repository(directory: string): ReturnType<typeof projectOf> {
    const place = projectOf(directory);
    if (place.vcs !== "git") throw failure("NotGit", "Worktrees are only supported for git projects");
    // A directory may be a checkout of a repository that lies elsewhere, which a worktree would show and change.
    this.#surface.gateway.roots.assert(gitDirectoryOf(directory)?.common ?? directory);
    return place;
  }

  #inRoots(given: string): string {
    const directory = realOr(resolve(given));
    this.#surface.gateway.roots.assert(directory);
    return directory;
  }

  async #find(source: string, directory: string, kind: "RemoveFailed" | "ResetFailed"): Promise<Linked> {
    const found = await this.linkedAt(source, directory).catch(failed(kind));
    if (found) return found;
    const main = directory === projectOf(source).worktree;
    if (kind === "ResetFailed") throw failure(kind, main ? "Cannot reset the primary workspace" : "Worktree not found");
    throw failure(kind, main ? `'${directory}' is a main working tree` : `'${directory}' is not a working tree`);
  }

  /** Writes the files of a new worktree, and runs the start commands. */
  async #fill(source: string, { name, branch, directory }: Worktree, startCommand: string | undefined): Promise<void> {
    const { bus, environment } = this.#surface;
    try {
      await checkOut(environment.git, source, directory);
    } catch (error) {
      bus.publish(directory, "worktree.failed", { message: messageOf(error) });
      return;
    }
    bus.publish(directory, "worktree.ready", { name, branch });
    await this.#start(directory, startCommand);
  }

  /** Runs the project's start command and the worktree's own, where the directory is trusted. */
  async #start(directory: string, startCommand = ""): Promise<void> {
    const { environment, gateway, bus, logger } = this.#surface;
    const project = await environment.projects.current(directory);
    const commands = [project.commands?.start ?? "", startCommand].filter((one) => one.trim() !== "");
    if (commands.length === 0) return;
    if (!gateway.trust.trusts(directory)) {
      const advice = `parley trust ${project.worktree}`;
      bus.warn(directory, `The start command was not run: ${directory} is not trusted (${advice})`);
      return;
    }
    for (const command of commands) {
      const spec = { argv: ["/bin/sh", "-c", command] as const, directory, env: {}, session: "workspace" };
      const run = { host: environment.commands, spec: { ...spec, errors: "shown" as const } };
      const ran = await capture({ ...run, limitMs: START_MS, maxChars: MAX_OUTPUT }).catch((error) => {
        return { text: messageOf(error), code: null };
      });
      if (ran.code === 0) continue;
      logger.warn(
        { directory, code: ran.code, output: ran.text.slice(-1_000) },
        "a start command of a worktree failed",
      );
      return;
    }
  }

  async #changed(directory: string): Promise<void> {
    const { bus, environment } = this.#surface;
    bus.publish(null, "project.updated", { ...(await environment.projects.current(directory)) });
  }

  /** The user's word about a repository holds for each checkout of it; the word about an older one at the same place does not. */
  async #inherit(main: string, directory: string): Promise<void> {
    await this.#trust(this.#surface.gateway.trust.trusts(main) ? "add" : "remove", directory);
  }

  /** A server without a list of trusted directories keeps none. */
  async #trust(how: "add" | "remove", directory: string): Promise<void> {
    await this.#surface.gateway.trust[how](directory).catch(() => {});
  }
}
