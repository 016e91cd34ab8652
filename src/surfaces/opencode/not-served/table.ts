import { z } from "zod";

/** `METHOD path id`. */
export type Place = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string} ${string}`;

/** Operations that Parley does not have, for one reason. */
export interface NotServed {
  /** Shown in the table of the documentation, and in the error unless that has a message of its own. */
  reason: string;
  /** Operations with an empty but valid answer, and that answer; undefined for none at all. */
  empty?: Readonly<Record<Place, unknown>>;
  /** Operations that are refused. */
  refused?: readonly Place[];
  /** The error's own message. A `$name` stands for a parameter of the path or a fact of `first`. */
  message?: string;
  /** The name of a 404, for a thing that cannot be there; else the error is a 501. */
  missing?: "NotFoundError";
  /** A thing that the path names and that must be there: without it the answer is a 404. */
  first?: "session" | "part" | "provider";
  query?: z.ZodObject;
  /** Whether the empty answer says for which directory it holds. */
  located?: boolean;
}

const NO_WORKSPACES = "there are no remote workspaces: a session runs in a directory of the server's machine";
const MESSAGE_PART = "/session/{sessionID}/message/{messageID}/part/{partID}";
const WORKSPACE = "/experimental/workspace";
const ATTEMPT = "/api/integration/attempt/{attemptID}";
const CONNECT = "/api/integration/{integrationID}/connect";

/** Why messages cannot be changed or deleted. */
export const MESSAGES_STAY =
  "messages of the past cannot be changed or deleted: the agent remembers them too. Start a new session, or fork this one before the message";

export const NOT_SERVED: readonly NotServed[] = [
  {
    reason: "resources of MCP servers are read by the agents",
    empty: { "GET /experimental/resource experimental.resource.list": {} },
  },
  {
    reason: NO_WORKSPACES,
    empty: {
      [`GET ${WORKSPACE} experimental.workspace.list`]: [],
      [`GET ${WORKSPACE}/adapter experimental.workspace.adapter.list`]: [],
      [`GET ${WORKSPACE}/status experimental.workspace.status`]: [],
      [`POST ${WORKSPACE}/sync-list experimental.workspace.syncList`]: undefined,
    },
    refused: [`POST ${WORKSPACE} experimental.workspace.create`, `POST ${WORKSPACE}/warp experimental.workspace.warp`],
  },
  {
    reason: `404: ${NO_WORKSPACES}`,
    message: `no workspace $id: ${NO_WORKSPACES}`,
    missing: "NotFoundError",
    refused: [`DELETE ${WORKSPACE}/{id} experimental.workspace.remove`],
  },
  { reason: "there is nothing to start", empty: { "POST /sync/start sync.start": true } },
  {
    reason: "sessions stay with their server: GET /v1/sessions/{session}/events has all events",
    refused: ["POST /sync/replay sync.replay", "POST /sync/steal sync.steal", "POST /sync/history sync.history.list"],
  },
  {
    reason: "OpenCode's console has no part in this server",
    empty: {
      "GET /experimental/console experimental.console.get": { consoleManagedProviders: [], switchableOrgCount: 0 },
      "GET /experimental/console/orgs experimental.console.listOrgs": { orgs: [] },
    },
    refused: ["POST /experimental/console/switch experimental.console.switchOrg"],
  },
  { reason: "skills are the agents' own business", empty: { "GET /skill app.skills": [] } },
  { reason: "skills are the agents' own business", empty: { "GET /api/skill v2.skill.list": [] }, located: true },
  { reason: "there are none here", empty: { "GET /api/reference v2.reference.list": [] }, located: true },
  { reason: "there is no language server here", empty: { "GET /lsp lsp.status": [] } },
  {
    reason: "there is no language server here",
    query: z.looseObject({ query: z.string().max(1_000) }),
    empty: { "GET /find/symbol find.symbols": [] },
  },
  { reason: "there is no formatter here", empty: { "GET /formatter formatter.status": [] } },
  {
    reason: "tools are the agents' own business",
    empty: { "GET /experimental/tool/ids tool.ids": [] },
  },
  {
    reason: "tools are the agents' own business",
    query: z.looseObject({ provider: z.string(), model: z.string() }),
    empty: { "GET /experimental/tool tool.list": [] },
  },
  {
    reason: "sub-agents are not sent to the background",
    empty: { "GET /experimental/capabilities experimental.capabilities.get": { backgroundSubagents: false } },
  },
  {
    reason: "sub-agents are not sent to the background",
    first: "session",
    empty: { "POST /experimental/session/{sessionID}/background experimental.session.background": false },
  },
  {
    reason: "update Parley with the package manager that installed it",
    refused: ["POST /global/upgrade global.upgrade"],
  },
  {
    reason: "a session stays in the directory it was begun in: begin a new one there",
    refused: ["POST /experimental/control-plane/move-session experimental.controlPlane.moveSession"],
  },
  {
    reason: "nothing leaves this machine",
    message: "sessions are not shared from here: nothing leaves the machine of the server",
    first: "session",
    refused: ["POST /session/{sessionID}/share session.share", "DELETE /session/{sessionID}/share session.unshare"],
  },
  {
    reason: "messages of the past cannot be changed",
    message: MESSAGES_STAY,
    first: "part",
    refused: [`DELETE ${MESSAGE_PART} part.delete`, `PATCH ${MESSAGE_PART} part.update`],
  },
  {
    reason: "always true: nobody waits for the response",
    empty: { "POST /tui/control/response tui.control.response": true },
  },
  {
    reason: "no way to log in here: agents keep their own credentials",
    empty: { "GET /provider/auth provider.auth": {} },
  },
  {
    reason: "credentials are the agents' own; the answer says how to log in",
    message: "Parley keeps no credentials of $title: $login",
    first: "provider",
    refused: [
      "PUT /auth/{providerID} auth.set",
      "DELETE /auth/{providerID} auth.remove",
      "POST /provider/{providerID}/oauth/authorize provider.oauth.authorize",
      "POST /provider/{providerID}/oauth/callback provider.oauth.callback",
      `POST ${CONNECT}/key v2.integration.connect.key`,
      `POST ${CONNECT}/oauth v2.integration.connect.oauth`,
      "PATCH /api/credential/{credentialID} v2.credential.update",
      "DELETE /api/credential/{credentialID} v2.credential.remove",
    ],
  },
  {
    reason: "404: no login begins here",
    message: "no login $attemptID: agents are logged in with their own programs",
    missing: "NotFoundError",
    refused: [
      `GET ${ATTEMPT} v2.integration.attempt.status`,
      `DELETE ${ATTEMPT} v2.integration.attempt.cancel`,
      `POST ${ATTEMPT}/complete v2.integration.attempt.complete`,
    ],
  },
  {
    reason: "`always` holds for its session, and is not kept beyond it",
    query: z.looseObject({ projectID: z.string().optional() }),
    empty: { "GET /api/permission/saved v2.permission.saved.list": { data: [] } },
  },
  {
    reason: "404: none is saved",
    message: "no saved permission $id: permissions are kept with their session",
    missing: "NotFoundError",
    refused: ["DELETE /api/permission/saved/{id} v2.permission.saved.remove"],
  },
  {
    reason: "permissions are asked for by agents",
    message: "a permission is asked for by the session's agent, not by a client",
    first: "session",
    refused: ["POST /api/session/{sessionID}/permission v2.session.permission.create"],
  },
];
