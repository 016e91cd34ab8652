import { z } from "zod";
import type { Method } from "../../http/endpoint.ts";
import { titleOf } from "../catalog/providers.ts";
import type { Surface } from "../context.ts";
import { notFound, unsupported } from "../errors.ts";
import { History, messageOf } from "../messages/history.ts";
import type { Located, Operation } from "../operation.ts";
import { sessionHead } from "../sessions/session-head.ts";
import { located } from "../v2/location.ts";
import { NOT_SERVED, type NotServed } from "./table.ts";

type Facts = Readonly<Record<string, string>>;

/** Looks whether a thing that a path names is there, and gives facts for the message of the refusal. */
type Check = (surface: Surface, params: Facts, path: string) => Promise<Facts>;

const CHECKS: Readonly<Record<NonNullable<NotServed["first"]>, Check>> = {
  async session(surface, { sessionID = "" }, path) {
    await (path.startsWith("/api/") ? surface.gateway.get(sessionID) : sessionHead(surface, sessionID));
    return {};
  },
  async part(surface, { sessionID = "", messageID = "", partID = "" }) {
    const head = await sessionHead(surface, sessionID);
    const { parts } = await messageOf(new History(surface.gateway.log), head, messageID);
    if (!parts.some(({ id }) => id === partID)) throw notFound(`Part not found: ${partID}`);
    return {};
  },
  async provider({ environment: { catalog } }, { providerID, integrationID, credentialID }) {
    const id = providerID ?? integrationID ?? credentialID ?? "";
    const agent = await catalog.agent(id);
    if (!agent) throw notFound(`no provider ${id}; GET /provider lists them`);
    const { login = "log in with its own program, or set its key in the environment of the server" } = agent.discovery;
    return { title: titleOf(agent), login };
  },
};

function refusalOf({ reason, message = reason, missing }: NotServed, params: Facts, facts: Facts): Error {
  const known: Facts = { ...params, ...facts };
  const text = message.replaceAll(/\$(\w+)/g, (name, key: string) => known[key] ?? name);
  return missing === undefined ? unsupported(text) : notFound(text);
}

type Base = Pick<Operation, "method" | "path" | "id" | "note" | "query" | "body" | "bodyOptional">;

function baseOf(place: string, { reason, query }: NotServed): Base {
  const [word = "", path = "", id = ""] = place.split(" ");
  const method = word.toLowerCase() as Method;
  const body = method === "get" ? {} : { body: z.unknown(), bodyOptional: true };
  return { method, path, id, note: reason, ...(query && { query }), ...body };
}

/** The operations of the table: each answers with nothing, or says why not and what to do. */
export function notServedOperations(surface: Surface): Operation[] {
  return NOT_SERVED.flatMap((row): Operation[] => {
    const { empty = {}, refused = [], first } = row;
    const check = async (params: Facts, path: string): Promise<Facts> =>
      first ? CHECKS[first](surface, params, path) : {};
    return [
      ...Object.entries(empty).map(([place, value]): Operation => {
        const base = baseOf(place, row);
        const handle = async ({ params, directory }: { params: Facts } & Located): Promise<unknown> => {
          await check(params, base.path);
          return row.located ? located(directory, value) : value;
        };
        return { ...base, support: "empty", ...(value === undefined && { status: 204 }), handle };
      }),
      ...refused.map((place): Operation => {
        const base = baseOf(place, row);
        const handle = async ({ params }: { params: Facts }): Promise<never> => {
          throw refusalOf(row, params, await check(params, base.path));
        };
        return { ...base, support: "refused", handle };
      }),
    ];
  });
}
