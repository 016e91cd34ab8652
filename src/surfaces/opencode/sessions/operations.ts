import { z } from "zod";
import type { SessionState } from "../../../core/session-state.ts";
import type { SessionChange } from "../../../gateway/gateway.ts";
import type { Surface } from "../context.ts";
import { notFound, unsupported } from "../errors.ts";
import { History } from "../messages/history.ts";
import { type Operation, operation } from "../operation.ts";
import { sessionOf, todosOf } from "../projection/session-shape.ts";
import { SessionView } from "../projection/session-view.ts";
import type { FileDiff, Session } from "../shapes/session.ts";
import { projectOf } from "../workspace/project.ts";
import { rulesFrom } from "./permission-rules.ts";
import { SessionDiffs } from "./session-diffs.ts";
import { sessionHead } from "./session-head.ts";
import { childrenOf, type ListQuery, listSessions } from "./session-list.ts";

const LIST_LIMIT = 100;

const title = z.string().max(500);
const metadata = z.record(z.string(), z.unknown());
const ruleset = z.array(
  z.object({ permission: z.string(), pattern: z.string(), action: z.enum(["allow", "deny", "ask"]) }),
);

const creation = z.object({
  parentID: z.string().optional(),
  title: title.optional(),
  agent: z.string().optional(),
  model: z.object({ providerID: z.string(), id: z.string(), variant: z.string().optional() }).optional(),
  metadata: metadata.optional(),
  permission: ruleset.optional(),
});

const change = z.object({
  title: title.optional(),
  metadata: metadata.optional(),
  permission: ruleset.optional(),
  time: z.object({ archived: z.number().optional() }).optional(),
});

const listQuery = z.object({
  scope: z.literal("project").optional(),
  path: z.string().optional(),
  roots: z.stringbool().optional(),
  start: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().positive().default(LIST_LIMIT),
});

const diffQuery = z.object({ messageID: z.string().optional() });

function shown(state: SessionState): Session {
  return sessionOf(state, { projectOf: (directory) => projectOf(directory).id });
}

/** What a client wants to change, in the gateway's words. Rules are added behind those that are there. */
function changeOf({ permissions = [] }: SessionState, body: z.output<typeof change>): SessionChange {
  const { archived } = body.time ?? {};
  const meta = {
    ...(body.metadata ? { metadata: body.metadata } : {}),
    ...(archived === undefined ? {} : { archived }),
  };
  return {
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.permission ? { permissions: [...permissions, ...rulesFrom(body.permission)] } : {}),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

export function sessionOperations(surface: Surface): Operation[] {
  const { gateway, environment } = surface;
  const history = new History(gateway.log);
  const diffs = new SessionDiffs(gateway.log);

  async function create(directory: string, body: z.output<typeof creation>): Promise<Session> {
    const { parentID, model: wished } = body;
    if (parentID !== undefined) await sessionHead(surface, parentID);
    const choice = await environment.catalog.chooseForNew({
      ...(wished ? { providerID: wished.providerID, modelID: wished.id } : {}),
      ...(body.agent === undefined ? {} : { agent: body.agent }),
    });
    // Chosen now, so that clients are shown it from the first message on, and not only after the agent has said it.
    const model = choice.model ?? (await environment.catalog.agent(choice.agent))?.discovery.defaultModel;
    const meta = {
      ...(parentID === undefined ? {} : { parentID }),
      ...(body.metadata ? { metadata: body.metadata } : {}),
    };
    const created = await gateway.create({
      directory,
      ...choice,
      ...(model === undefined ? {} : { model }),
      ...(body.title === undefined ? {} : { title: body.title }),
      ...(body.permission ? { permissions: rulesFrom(body.permission) } : {}),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    });
    return shown(created);
  }

  /** A sub-agent's session goes with the one it belongs to. */
  async function remove(state: SessionState): Promise<void> {
    for (const child of await childrenOf(gateway.log, state)) if (child.parent === undefined) await remove(child);
    await gateway.remove(state.id);
  }

  async function diffOf(sessionID: string | undefined, messageID: string | undefined): Promise<FileDiff[]> {
    const head = await sessionHead(surface, sessionID);
    if (messageID === undefined) return diffs.of(head);
    const { info } = (await history.message(head, messageID)) ?? {};
    if (!info) throw notFound(`Message not found: ${messageID}`);
    const asking = info.role === "user" ? info : (await history.message(head, info.parentID))?.info;
    return asking?.role === "user" ? (asking.summary?.diffs ?? []) : [];
  }

  return [
    operation({
      method: "post",
      path: "/session",
      id: "session.create",
      support: "real",
      body: creation,
      handle: ({ body, directory }) => create(directory, body),
    }),
    operation({
      method: "get",
      path: "/session",
      id: "session.list",
      support: "real",
      query: listQuery,
      async handle({ query: { scope, ...query }, directory, directoryNamed }) {
        const exactly = directoryNamed && scope !== "project";
        const asked: ListQuery = { ...query, directory, exactly };
        return (await listSessions(gateway.log, asked)).map(shown);
      },
    }),
    operation({
      method: "get",
      path: "/session/status",
      id: "session.status",
      support: "real",
      async handle({ directory }) {
        const busy = (await gateway.log.unsettled()).filter((state) => state.turn && state.directory === directory);
        return Object.fromEntries(busy.map((state) => [state.id, new SessionView(state).status()]));
      },
    }),
    operation({
      method: "get",
      path: "/session/{sessionID}",
      id: "session.get",
      support: "real",
      handle: async ({ params }) => shown((await sessionHead(surface, params.sessionID)).state),
    }),
    operation({
      method: "patch",
      path: "/session/{sessionID}",
      id: "session.update",
      support: "real",
      body: change,
      async handle({ params, body }) {
        const { state } = await sessionHead(surface, params.sessionID);
        return shown(await gateway.update(state.id, changeOf(state, body)));
      },
    }),
    operation({
      method: "delete",
      path: "/session/{sessionID}",
      id: "session.delete",
      support: "real",
      note: "a turn that runs is stopped first",
      async handle({ params }) {
        await remove((await sessionHead(surface, params.sessionID)).state);
        return true;
      },
    }),
    operation({
      method: "get",
      path: "/session/{sessionID}/children",
      id: "session.children",
      support: "real",
      async handle({ params }) {
        const { state } = await sessionHead(surface, params.sessionID);
        return (await childrenOf(gateway.log, state)).map(shown);
      },
    }),
    operation({
      method: "get",
      path: "/session/{sessionID}/todo",
      id: "session.todo",
      support: "real",
      handle: async ({ params }) => todosOf((await sessionHead(surface, params.sessionID)).state.plan),
    }),
    operation({
      method: "get",
      path: "/session/{sessionID}/diff",
      id: "session.diff",
      support: "real",
      note: "what the agent's tools say they changed",
      query: diffQuery,
      handle: ({ params, query }) => diffOf(params.sessionID, query.messageID),
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/abort",
      id: "session.abort",
      support: "real",
      note: "answers when the agent is quiet; prompts that wait are taken back",
      async handle({ params }) {
        const { state } = await sessionHead(surface, params.sessionID);
        await gateway.cancel(state.id, { queue: "clear" });
        return true;
      },
    }),
    ...(["post", "delete"] as const).map((method) =>
      operation({
        method,
        path: "/session/{sessionID}/share",
        id: method === "post" ? "session.share" : "session.unshare",
        support: "refused",
        note: "nothing leaves this machine",
        async handle({ params }) {
          await sessionHead(surface, params.sessionID);
          throw unsupported("sessions are not shared from here: nothing leaves the machine of the server");
        },
      }),
    ),
  ];
}
