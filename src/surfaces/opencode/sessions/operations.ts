import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import { present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { SessionDiffs } from "../../../gateway/changes/session-diffs.ts";
import type { SessionChange } from "../../../gateway/requests.ts";
import { usingAgent } from "../catalog/used-agents.ts";
import type { Surface } from "../context.ts";
import { History, messageOf } from "../messages/history.ts";
import { get, type Located, type Operation, patch, post, remove } from "../operation.ts";
import { FileDiffs } from "../projection/file-diffs.ts";
import { todosOf } from "../projection/session-shape.ts";
import { SessionView } from "../projection/session-view.ts";
import type { FileDiff, Session } from "../shapes/session.ts";
import { rulesOfConfig } from "./config-files.ts";
import { rulesFrom } from "./permission-rules.ts";
import { sessionHead } from "./session-head.ts";
import { childrenOf, listedBy, listSessions } from "./session-list.ts";
import { shownSession } from "./shown-session.ts";

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
  // As native: 0 is none, and a negative number is no limit.
  limit: z.coerce
    .number()
    .int()
    .transform((limit) => (limit < 0 ? Number.MAX_SAFE_INTEGER : limit))
    .default(LIST_LIMIT),
});

const diffQuery = z.object({ messageID: z.string().optional() });

/** Facts that only OpenCode's clients have; undefined where there are none. */
function metaOf(facts: Record<string, unknown>): Record<string, unknown> | undefined {
  const meta = present(facts);
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** A client's change in the gateway's words. New rules come after those that are there. */
function changeOf({ permissions = [] }: SessionState, body: z.output<typeof change>): SessionChange {
  const { title, metadata, permission, time } = body;
  return present({
    title,
    permissions: permission && [...permissions, ...rulesFrom(permission)],
    meta: metaOf({ metadata, archived: time?.archived }),
  });
}

export function sessionOperations(surface: Surface): Operation[] {
  const { gateway, environment, bus, nodes } = surface;
  const history = new History(gateway.log);
  const listed = listedBy(surface);
  const diffs = new SessionDiffs(gateway.log, () => new FileDiffs());

  async function stateOf({ sessionID }: { sessionID: string }): Promise<SessionState> {
    return (await sessionHead(surface, sessionID)).state;
  }

  async function create({ directory, directoryNamed }: Located, body: z.output<typeof creation>): Promise<Session> {
    const { parentID, model: wished, agent, title, permission, metadata } = body;
    if (parentID !== undefined) await sessionHead(surface, parentID);
    const wish = { providerID: wished?.providerID, modelID: wished?.id, agent };
    const choice = await environment.catalog.chooseForNew(wish, directory, (message) => bus.warn(directory, message));
    // The model is chosen now, so that clients are shown it from the first message on.
    const model = choice.model ?? (await environment.catalog.agent(choice.agent, directory))?.discovery.defaultModel;
    // The client's own rules come last, as with native: they count more than the configured ones.
    const configured = await rulesOfConfig(surface, directory);
    const permissions =
      permission || configured.length > 0 ? [...configured, ...rulesFrom(permission ?? [])] : undefined;
    const mcpServers = await environment.mcp.forSession(directory, choice.agent);
    const options = await environment.catalog.optionsForNew({ ...choice, model }, wished?.variant, directory);
    const facts = present({ model, options, title, permissions, mcpServers, meta: metaOf({ parentID, metadata }) });
    const make = (): Promise<SessionState> =>
      gateway.create({ directory, unnamed: !directoryNamed, ...choice, ...facts });
    return shownSession(await usingAgent(surface, directory, choice.agent, make));
  }

  /** The gateway removes the sessions of sub-agents by itself, but not those that clients made for a session. */
  async function removeTree(state: SessionState): Promise<void> {
    for (const child of await childrenOf(listed, state)) if (child.parent === undefined) await removeTree(child);
    await removeOne(state.id);
  }

  /** Sessions that clients made for one another may belong to different nodes. */
  async function removeOne(id: string): Promise<void> {
    try {
      await gateway.remove(id);
    } catch (error) {
      if (!nodes || !isParleyError(error) || error.code !== "wrong_node") throw error;
      await nodes.remove(String(error.details.address), id);
    }
  }

  async function diffOf(sessionID: string, messageID: string | undefined): Promise<FileDiff[]> {
    const head = await sessionHead(surface, sessionID);
    if (messageID === undefined) return diffs.of(head);
    const { info } = await messageOf(history, head, messageID);
    const asking = info.role === "user" ? info : (await history.message(head, info.parentID))?.info;
    return asking?.role === "user" ? (asking.summary?.diffs ?? []) : [];
  }

  return [
    post("/session", "session.create", { body: creation }, (call) => create(call, call.body)),
    get("/session", "session.list", { query: listQuery }, async ({ query, directory, directoryNamed }) => {
      const { scope, ...asked } = query;
      const exactly = directoryNamed && scope !== "project";
      return (await listSessions(listed, { ...asked, directory, exactly })).map(shownSession);
    }),
    get("/session/status", "session.status", async ({ directory }) => {
      const busy = (await gateway.log.unsettled()).filter((state) => state.turn && state.directory === directory);
      return Object.fromEntries(busy.map((state) => [state.id, new SessionView(state).status()]));
    }),
    get(
      "/session/{sessionID}",
      "session.get",
      { note: "with its status, for clients that poll" },
      async ({ params }) => {
        const state = await stateOf(params);
        return { ...shownSession(state), status: new SessionView(state).status() };
      },
    ),
    patch("/session/{sessionID}", "session.update", { body: change }, async ({ params, body }) => {
      const state = await stateOf(params);
      return shownSession(await gateway.update(state.id, changeOf(state, body)));
    }),
    remove("/session/{sessionID}", "session.delete", { note: "an open turn is stopped first" }, async (call) => {
      await removeTree(await stateOf(call.params));
      return true;
    }),
    get("/session/{sessionID}/children", "session.children", async ({ params }) =>
      (await childrenOf(listed, await stateOf(params))).map(shownSession),
    ),
    get("/session/{sessionID}/todo", "session.todo", async ({ params }) => todosOf((await stateOf(params)).plan)),
    get(
      "/session/{sessionID}/diff",
      "session.diff",
      { note: "the changes that the agent's tools report", query: diffQuery },
      ({ params, query }) => diffOf(params.sessionID, query.messageID),
    ),
    post(
      "/session/{sessionID}/abort",
      "session.abort",
      { note: "answers when the agent is quiet; queued prompts are withdrawn" },
      async ({ params }) => {
        const { id } = await stateOf(params);
        await gateway.cancel(id, { queue: "clear" });
        return true;
      },
    ),
  ];
}
