import { z } from "zod";
import { present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { hangUp } from "../../http/endpoint.ts";
import { usingAgent } from "../catalog/used-agents.ts";
import type { Surface } from "../context.ts";
import { oneSpelling } from "../directory.ts";
import { tagged, unsupported } from "../errors.ts";
import { get, type Operation, post } from "../operation.ts";
import { choiceOf } from "../prompts/prompting.ts";
import { rulesOfConfig } from "../sessions/config-files.ts";
import { listedBy } from "../sessions/session-list.ts";
import { nextNumber } from "./next/durable.ts";
import { admittedPrompt, partsOf, promptBody } from "./prompt.ts";
import { sessionInfo } from "./session-info.ts";
import { sessionPage } from "./session-page.ts";
import { waitIdle } from "./wait-idle.ts";

const model = z.looseObject({ id: z.string(), providerID: z.string(), variant: z.string().optional() });

const listQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  search: z.string().optional(),
  directory: z.string().optional(),
  project: z.string().optional(),
  subpath: z.string().optional(),
  cursor: z.string().optional(),
});

const newSession = z.looseObject({
  id: z.string().optional(),
  agent: z.string().optional(),
  model: model.optional(),
  location: z.looseObject({ directory: z.string() }).optional(),
});

const path = "/api/session/{sessionID}";

function commands(surface: Surface): Operation[] {
  const { gateway, environment } = surface;
  const { catalog } = environment;
  return [
    post(
      `${path}/agent`,
      "v2.session.switchAgent",
      { status: 204, body: z.looseObject({ agent: z.string() }) },
      async ({ params: { sessionID }, body }) => {
        const { agent, directory } = await gateway.get(sessionID);
        const { mode } = await catalog.choose({ providerID: agent, agent: body.agent }, directory);
        if (mode !== undefined) await gateway.update(sessionID, { mode });
      },
    ),
    post(
      `${path}/model`,
      "v2.session.switchModel",
      { note: "a model of the session's own agent", status: 204, body: z.looseObject({ model }) },
      async ({ params: { sessionID }, body }) => {
        const state = await gateway.get(sessionID);
        const { agent } = state;
        const { providerID, id: modelID, variant } = body.model;
        const message = `session ${sessionID} is one of ${agent}: for ${providerID}, begin a new one`;
        if (providerID !== agent) throw tagged(409, "ConflictError", message);
        const choice = await choiceOf(surface, state, { model: { providerID, modelID }, variant });
        const change = present({ model: choice.model, options: choice.options });
        if (Object.keys(change).length > 0) await gateway.update(sessionID, change);
      },
    ),
    post(`${path}/prompt`, "v2.session.prompt", { body: promptBody }, async ({ params: { sessionID }, body }) => {
      const { id, prompt, resume = true } = body;
      // A prompt that begins nothing is kept for the next one.
      const delivery = resume ? body.delivery : "context";
      const { directory } = await gateway.get(sessionID);
      const parts = partsOf(prompt, directory);
      const receipt = await gateway.prompt(sessionID, { parts, ...present({ id, delivery }) });
      return {
        data: {
          admittedSeq: nextNumber(receipt.seq, 0),
          id: receipt.prompt,
          sessionID,
          prompt: admittedPrompt(prompt),
          delivery: receipt.status === "steered" ? "steer" : "queue",
          timeCreated: Date.now(),
        },
      };
    }),
    post(`${path}/interrupt`, "v2.session.interrupt", { status: 204 }, async ({ params }) => {
      await gateway.cancel(params.sessionID, { queue: "clear" });
    }),
    post(`${path}/wait`, "v2.session.wait", { status: 204 }, async ({ params, response }) => {
      await gateway.get(params.sessionID);
      await waitIdle(gateway.log, params.sessionID, hangUp(response));
    }),
  ];
}

export function v2SessionOperations(surface: Surface): Operation[] {
  const { gateway, environment, bus, elsewhere } = surface;
  return [
    get("/api/session", "v2.session.list", { note: "newest first only", query: listQuery }, async ({ query }) => {
      if (query.order === "asc") throw unsupported("sessions are listed newest first: leave out order=asc");
      const directory = query.directory === undefined ? undefined : oneSpelling(query.directory);
      const { found, next } = await sessionPage(listedBy(surface), { ...query, directory });
      return { data: found.map(sessionInfo), cursor: present({ next }) };
    }),
    post(
      "/api/session",
      "v2.session.create",
      { note: "the id is made by the server", body: newSession },
      async ({ body, directory, directoryNamed }) => {
        if (body.id !== undefined) throw unsupported("a session's id is made by the server: leave it out");
        const named = directoryNamed ? directory : body.location?.directory;
        if (!directoryNamed && named !== undefined) await gateway.enterDirectory(oneSpelling(named));
        const wish = { providerID: body.model?.providerID, modelID: body.model?.id, agent: body.agent };
        const place = oneSpelling(named ?? directory);
        const choice = await environment.catalog.chooseForNew(wish, place, (message) => bus.warn(place, message));
        const permissions = await rulesOfConfig(surface, place);
        const mcpServers = await environment.mcp.forSession(place, choice.agent);
        const options = await environment.catalog.optionsForNew(choice, body.model?.variant, place);
        const facts = present({ options, permissions: permissions.length > 0 ? permissions : undefined });
        const unnamed = named === undefined;
        const make = (): Promise<SessionState> =>
          gateway.create({ ...choice, directory: place, unnamed, mcpServers, ...facts });
        const state = await usingAgent(surface, place, choice.agent, make);
        return { data: sessionInfo(state) };
      },
    ),
    get("/api/session/active", "v2.session.active", async () => {
      const running = (await gateway.log.unsettled()).filter(({ turn }) => turn !== null);
      return { data: Object.fromEntries(running.map(({ id }) => [id, { type: "running" }])) };
    }),
    get(path, "v2.session.get", async ({ params }) => {
      const state = await gateway.get(params.sessionID);
      await elsewhere?.know([state.directory]);
      return { data: sessionInfo(state) };
    }),
    ...commands(surface),
  ];
}
