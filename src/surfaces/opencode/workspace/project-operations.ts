import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Surface } from "../context.ts";
import { badRequest, named, notFound, tagged } from "../errors.ts";
import { type Operation, operation } from "../operation.ts";
import { forgetProject, projectOf } from "./project.ts";
import type { Project } from "./projects.ts";

const text = z.string().max(1_000);
const facts = z.looseObject({
  name: text.optional(),
  icon: z
    .strictObject({ url: z.string().optional(), override: z.string().optional(), color: text.optional() })
    .optional(),
  commands: z.strictObject({ start: z.string().optional() }).optional(),
});

export function unknownProject(projectID: string): Error {
  return tagged(404, "ProjectNotFoundError", `no project ${projectID}; GET /project lists them`, { projectID });
}

async function makeRepository({ environment }: Surface, directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw notFound(`${directory} is no directory`);
  if (projectOf(directory).vcs === "git") return;
  const { code, text: said } = await environment.git(directory, ["init", "--quiet"], { errors: "shown" });
  if (code === 127) throw named(503, "UnavailableError", "git is not installed on the machine of the server");
  if (code !== 0) throw badRequest(`git could not make a repository of ${directory}: ${said.trim().slice(0, 500)}`);
  forgetProject(directory);
}

export function projectOperations(surface: Surface): Operation[] {
  const { environment, bus } = surface;
  const { projects } = environment;
  const changed = (project: Project): Project => {
    bus.publish(null, "project.updated", { ...project });
    return project;
  };
  return [
    operation({
      method: "get",
      path: "/path",
      id: "path.get",
      support: "real",
      note: "`config` and `state` are Parley's own",
      async handle({ directory }) {
        const { dataDirectory } = surface;
        const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
        const { root } = projectOf(directory);
        return { home: homedir(), state: dataDirectory, config: join(config, "parley"), worktree: root, directory };
      },
    }),
    operation({
      method: "get",
      path: "/project",
      id: "project.list",
      support: "real",
      note: "those that clients have opened",
      async handle({ directory }) {
        await projects.current(directory);
        return projects.list();
      },
    }),
    operation({
      method: "get",
      path: "/project/current",
      id: "project.current",
      support: "real",
      handle: ({ directory }) => projects.current(directory),
    }),
    operation({
      method: "post",
      path: "/project/git/init",
      id: "project.initGit",
      support: "real",
      async handle({ directory }) {
        await makeRepository(surface, directory);
        return changed(await projects.current(directory));
      },
    }),
    operation({
      method: "patch",
      path: "/project/{projectID}",
      id: "project.update",
      support: "real",
      body: facts,
      async handle({ params, body, directory }) {
        const { projectID = "" } = params;
        await projects.current(directory);
        const { name, icon, commands } = body;
        const project = await projects.update(projectID, { name, icon, commands });
        if (!project) throw unknownProject(projectID);
        return changed(project);
      },
    }),
    operation({
      method: "get",
      path: "/project/{projectID}/directories",
      id: "project.directories",
      support: "real",
      note: "those that clients have opened",
      async handle({ params, directory }) {
        const { projectID = "" } = params;
        await projects.current(directory);
        if (!(await projects.find(projectID))) throw unknownProject(projectID);
        return (await projects.directories(projectID)).map((one) => ({ directory: one }));
      },
    }),
  ];
}
