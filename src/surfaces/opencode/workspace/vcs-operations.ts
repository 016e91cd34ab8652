import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Answer } from "../../http/endpoint.ts";
import type { Surface } from "../context.ts";
import { named } from "../errors.ts";
import { get, type Operation, post } from "../operation.ts";
import { branches, changedFiles, diffFiles, rawDiff } from "./git/vcs.ts";
import { projectOf } from "./project.ts";
import { withFiles } from "./refusals.ts";

const diffQuery = z.looseObject({
  mode: z.enum(["git", "branch"]),
  context: z.coerce.number().int().min(0).max(1_000_000).optional(),
});

const patchBody = z.looseObject({ patch: z.string().min(1) });

function cannotApply(reason: "non-git" | "not-clean", message: string): Error {
  return named(400, "VcsApplyError", message, { reason });
}

/** All of a patch or nothing of it. Git itself refuses one that leads out of the directory. */
async function applyPatch(surface: Surface, directory: string, patch: string): Promise<void> {
  if (projectOf(directory).vcs !== "git")
    throw cannotApply("non-git", `${directory} is in no git repository: POST /project/git/init makes one`);
  const folder = join(surface.dataDirectory, "tmp");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `patch-${randomBytes(8).toString("hex")}`);
  await writeFile(file, patch, { mode: 0o600 });
  try {
    const { code, text } = await surface.environment.git(directory, ["apply", "--", file], { errors: "shown" });
    const why = text.replaceAll(file, "the patch").trim().slice(0, 1_000);
    if (code !== 0) throw cannotApply("not-clean", `the patch does not fit, so nothing was changed: ${why}`);
  } finally {
    await rm(file, { force: true });
  }
}

export function vcsOperations(surface: Surface): Operation[] {
  const { git } = surface.environment;
  return [
    get("/vcs", "vcs.get", async ({ directory }) => {
      const { branch, base } = await branches(git, directory);
      return { branch, default_branch: base?.name };
    }),
    get("/vcs/status", "vcs.status", ({ directory }) => changedFiles(git, directory)),
    get("/vcs/diff", "vcs.diff", { query: diffQuery }, ({ directory, query }) => diffFiles(git, directory, query)),
    get("/vcs/diff/raw", "vcs.diff.raw", async ({ directory }) => {
      const type = "text/x-diff; charset=utf-8";
      return new Answer(await rawDiff(git, directory), { "content-type": type });
    }),
    post("/vcs/apply", "vcs.apply", { note: "all of the patch, or nothing", body: patchBody }, async (call) => {
      const { directory, body } = call;
      await withFiles(directory, () => applyPatch(surface, directory, body.patch));
      return { applied: true };
    }),
  ];
}
