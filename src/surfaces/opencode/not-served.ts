import { z } from "zod";
import type { Surface } from "./context.ts";
import { notFound, tagged, unsupported } from "./errors.ts";
import { type Method, type Operation, operation } from "./operation.ts";
import { records } from "./workspace/git/git.ts";
import { projectOf } from "./workspace/project.ts";
import { unknownProject } from "./workspace/project-operations.ts";

type Place = [method: Method, path: string, id: string];

/** Answers with nothing, in the form that clients expect. */
function empty([method, path, id]: Place, value: unknown, note: string): Operation {
  return operation({
    method,
    path,
    id,
    support: "empty",
    note,
    ...(method === "get" ? {} : { body: z.unknown() }),
    ...(value === undefined ? { status: 204 } : {}),
    handle: async () => value,
  });
}

/** Says why not, and what to do. */
function refused(
  [method, path, id]: Place,
  note: string,
  refuse: (params: Params) => Error | Promise<Error>,
): Operation {
  return operation({
    method,
    path,
    id,
    support: "refused",
    note,
    body: z.unknown(),
    async handle({ params }) {
      throw await refuse(params);
    },
  });
}

type Params = Readonly<Record<string, string>>;

function mcpOperations(): Operation[] {
  const where = "MCP servers are the agents' own: configure them there";
  const noServer = ({ name = "" }: Params): Error =>
    tagged(404, "McpServerNotFoundError", `no MCP server ${name} here: ${where}`, { name });
  const none = "404: there is none; they are configured with the agent";
  return [
    empty(["get", "/mcp", "mcp.status"], {}, where),
    refused(["post", "/mcp", "mcp.add"], where, () => unsupported(where)),
    refused(["post", "/mcp/{name}/auth", "mcp.auth.start"], none, noServer),
    refused(["delete", "/mcp/{name}/auth", "mcp.auth.remove"], none, noServer),
    refused(["post", "/mcp/{name}/auth/callback", "mcp.auth.callback"], none, noServer),
    refused(["post", "/mcp/{name}/auth/authenticate", "mcp.auth.authenticate"], none, noServer),
    refused(["post", "/mcp/{name}/connect", "mcp.connect"], none, noServer),
    refused(["post", "/mcp/{name}/disconnect", "mcp.disconnect"], none, noServer),
    empty(["get", "/experimental/resource", "experimental.resource.list"], {}, where),
  ];
}

function workspaceOperations(): Operation[] {
  const none = "there are no remote workspaces: a session runs in a directory of the server's machine";
  const noWorkspace = ({ id = "" }: Params): Error => notFound(`no workspace ${id}: ${none}`);
  const path = "/experimental/workspace";
  return [
    empty(["get", path, "experimental.workspace.list"], [], none),
    empty(["get", `${path}/adapter`, "experimental.workspace.adapter.list"], [], none),
    empty(["get", `${path}/status`, "experimental.workspace.status"], [], none),
    empty(["post", `${path}/sync-list`, "experimental.workspace.syncList"], undefined, none),
    refused(["post", path, "experimental.workspace.create"], none, () => unsupported(none)),
    refused(["delete", `${path}/{id}`, "experimental.workspace.remove"], `404: ${none}`, noWorkspace),
    refused(["post", `${path}/warp`, "experimental.workspace.warp"], none, () => unsupported(none)),
  ];
}

function syncOperations(): Operation[] {
  const elsewhere = "sessions stay with their server: GET /v1/sessions/{session}/events has all that was ever said";
  return [
    empty(["post", "/sync/start", "sync.start"], true, "there is nothing to start"),
    refused(["post", "/sync/replay", "sync.replay"], elsewhere, () => unsupported(elsewhere)),
    refused(["post", "/sync/steal", "sync.steal"], elsewhere, () => unsupported(elsewhere)),
    refused(["post", "/sync/history", "sync.history.list"], elsewhere, () => unsupported(elsewhere)),
  ];
}

/** Checkouts and copies of a project are made by who has the right to, not by a server of agents. */
function copyOperations({ environment: { git, projects } }: Surface): Operation[] {
  const byHand = "make it with `git worktree`, and open that directory";
  const refuse = (): Error => unsupported(`copies of a project are not made here: ${byHand}`);
  const refuseCopy = async ({ projectID = "" }: Params): Promise<Error> =>
    (await projects.find(projectID)) ? refuse() : unknownProject(projectID);
  const copy = "/experimental/project/{projectID}/copy";
  return [
    operation({
      method: "get",
      path: "/experimental/worktree",
      id: "worktree.list",
      support: "real",
      note: "the repository's linked checkouts",
      async handle({ directory }) {
        if (projectOf(directory).vcs !== "git") return [];
        const listed = records(await git(directory, ["worktree", "list", "--porcelain", "-z"]));
        // The first is the main one.
        return listed.flatMap((line) => (line.startsWith("worktree ") ? [line.slice(9)] : [])).slice(1);
      },
    }),
    refused(["post", "/experimental/worktree", "worktree.create"], byHand, refuse),
    refused(["delete", "/experimental/worktree", "worktree.remove"], byHand, refuse),
    refused(["post", "/experimental/worktree/reset", "worktree.reset"], byHand, refuse),
    refused(["post", copy, "v2.projectCopy.create"], byHand, refuseCopy),
    refused(["delete", copy, "v2.projectCopy.remove"], byHand, refuseCopy),
    refused(["post", `${copy}/refresh`, "v2.projectCopy.refresh"], byHand, refuseCopy),
    refused(["post", `${copy}/generate-name`, "experimental.projectCopy.generateName"], byHand, refuseCopy),
  ];
}

function consoleOperations(): Operation[] {
  const none = "OpenCode's console has no part in this server";
  const state = { consoleManagedProviders: [], switchableOrgCount: 0 };
  return [
    empty(["get", "/experimental/console", "experimental.console.get"], state, none),
    empty(["get", "/experimental/console/orgs", "experimental.console.listOrgs"], { orgs: [] }, none),
    refused(["post", "/experimental/console/switch", "experimental.console.switchOrg"], none, () => unsupported(none)),
  ];
}

function disposeOperations({ environment: { catalog } }: Surface): Operation[] {
  // Clients do it after a login, to have everything read anew.
  const dispose = async (): Promise<true> => {
    catalog.refresh();
    return true;
  };
  const note = "asks the agents anew what they have; ends nobody's session";
  return [
    operation({
      method: "post",
      path: "/instance/dispose",
      id: "instance.dispose",
      support: "real",
      note,
      handle: dispose,
    }),
    operation({
      method: "post",
      path: "/global/dispose",
      id: "global.dispose",
      support: "real",
      note,
      handle: dispose,
    }),
  ];
}

/** What is left: mostly what only OpenCode itself can do. */
export function remainingOperations(surface: Surface): Operation[] {
  const { gateway } = surface;
  const upgrade = "update Parley with the package manager that installed it";
  const move = "a session stays in the directory it was begun in: begin a new one there";
  return [
    ...mcpOperations(),
    ...workspaceOperations(),
    ...syncOperations(),
    ...copyOperations(surface),
    ...consoleOperations(),
    ...disposeOperations(surface),
    empty(["get", "/skill", "app.skills"], [], "skills are the agents' own business"),
    empty(["get", "/lsp", "lsp.status"], [], "there is no language server here"),
    empty(["get", "/formatter", "formatter.status"], [], "there is no formatter here"),
    empty(
      ["get", "/experimental/capabilities", "experimental.capabilities.get"],
      { backgroundSubagents: false },
      "sub-agents are not sent to the background",
    ),
    empty(["get", "/experimental/tool", "tool.list"], [], "tools are the agents' own business"),
    empty(["get", "/experimental/tool/ids", "tool.ids"], [], "tools are the agents' own business"),
    refused(["post", "/global/upgrade", "global.upgrade"], upgrade, () => unsupported(upgrade)),
    refused(["post", "/experimental/control-plane/move-session", "experimental.controlPlane.moveSession"], move, () =>
      unsupported(move),
    ),
    operation({
      method: "post",
      path: "/experimental/session/{sessionID}/background",
      id: "experimental.session.background",
      support: "empty",
      note: "sub-agents are not sent to the background",
      async handle({ params: { sessionID = "" } }) {
        await gateway.get(sessionID);
        return false;
      },
    }),
  ];
}
