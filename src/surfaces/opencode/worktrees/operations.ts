import { join, resolve } from "node:path";
import { z } from "zod";
import { messageOf, ParleyError } from "../../../core/errors.ts";
import type { Surface } from "../context.ts";
import { named, OpencodeError } from "../errors.ts";
import { get, type Operation, post, remove } from "../operation.ts";
import { changedFiles } from "../workspace/git/vcs.ts";
import { unknownProject } from "../workspace/project-operations.ts";
import { namesFor, randomName } from "./names.ts";
import { Worktrees } from "./worktrees.ts";

const PATH = "/experimental/worktree";
const COPY = "/experimental/project/{projectID}/copy";

const path = z.string().min(1).max(4_096);
const creation = z.object({ name: z.string().max(1_000).optional(), startCommand: z.string().max(10_000).optional() });
const target = z.object({ directory: path });
const copying = z.object({ strategy: z.string(), directory: path, name: z.string().max(1_000).optional() });
const removal = z.object({ directory: path, force: z.boolean() });
const naming = z.object({ context: z.string().optional() });

const STRATEGY = "git_worktree";

function copyError(message: string, more: { forceRequired?: true } = {}): OpencodeError {
  return named(400, "ProjectCopyError", message, more);
}

/** Refusals of git and of the disk in the form of copies. */
async function asCopy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OpencodeError || error instanceof ParleyError) throw error;
    throw copyError(messageOf(error));
  }
}

export function worktreeOperations(surface: Surface): Operation[] {
  const { environment, gateway } = surface;
  const worktrees = new Worktrees(surface);

  /** The main directory of a project that clients have opened. */
  async function mainOf(projectID: string, directory: string): Promise<string> {
    await environment.projects.current(directory);
    const project = await environment.projects.find(projectID);
    if (!project) throw unknownProject(projectID);
    gateway.roots.assert(project.worktree);
    return project.worktree;
  }

  async function copy(main: string, { strategy, directory, name }: z.output<typeof copying>): Promise<object> {
    if (strategy !== STRATEGY) throw copyError(`Project copy strategy unavailable: ${strategy}; there is ${STRATEGY}`);
    gateway.roots.assert(resolve(directory));
    for (const one of namesFor(name)) {
      const made = join(resolve(directory), one);
      if (await asCopy(() => worktrees.copy(main, made))) return { directory: made };
    }
    throw copyError(`every name that was tried is taken in ${directory}`);
  }

  async function removeCopy(main: string, { directory: given, force }: z.output<typeof removal>): Promise<void> {
    const directory = resolve(given);
    gateway.roots.assert(directory);
    if (directory === main) throw copyError(`Invalid project copy directory: ${given}`);
    const found = await asCopy(() => worktrees.linkedAt(main, directory));
    if (!found) throw copyError(`Project copy directory unavailable: ${given}`);
    if (!force && (await changedFiles(environment.git, directory)).length > 0)
      throw copyError(`${given} has changes that would be lost; force removes it`, { forceRequired: true });
    await asCopy(() => worktrees.drop(main, found));
  }

  return [
    get(PATH, "worktree.list", { note: "the repository's linked checkouts" }, ({ directory }) =>
      worktrees.list(directory),
    ),
    post(PATH, "worktree.create", { body: creation, note: "no hook and no filter is run" }, ({ directory, body }) =>
      worktrees.create(directory, body),
    ),
    remove(PATH, "worktree.remove", { body: target, note: "with its branch, if it was made here" }, async (call) => {
      await worktrees.remove(call.directory, call.body.directory);
      return true;
    }),
    post(`${PATH}/reset`, "worktree.reset", { body: target }, async ({ directory, body }) => {
      await worktrees.reset(directory, body.directory);
      return true;
    }),
    post(COPY, "v2.projectCopy.create", { body: copying }, async ({ params, directory, body }) =>
      copy(await mainOf(params.projectID, directory), body),
    ),
    remove(COPY, "v2.projectCopy.remove", { body: removal, status: 204 }, async ({ params, directory, body }) =>
      removeCopy(await mainOf(params.projectID, directory), body),
    ),
    post(`${COPY}/refresh`, "v2.projectCopy.refresh", { status: 204 }, async ({ params, directory }) => {
      const main = await mainOf(params.projectID, directory);
      for (const one of await worktrees.list(main)) await environment.projects.current(one);
    }),
    post(
      `${COPY}/generate-name`,
      "experimental.projectCopy.generateName",
      { body: naming },
      async ({ params, directory }) => {
        await mainOf(params.projectID, directory);
        return { name: randomName() };
      },
    ),
  ];
}
