import { createClient, type ParleyClient } from "../../client/index.ts";
import { isCode } from "./api-problems.ts";
import type { FoundServer } from "./find-server.ts";
import { isLeaving } from "./leaving.ts";
import type { Store } from "./store.ts";

export const CLIENT_NAME = "parley-cli";

export function clientOf({ url, token }: Pick<FoundServer, "url" | "token">): ParleyClient {
  return createClient({ url, token, name: CLIENT_NAME });
}

/** The server that runs on the data directory. `answered` is called with each answer that it gives as a server that stays. */
export function onlineStore({ url, token }: FoundServer, answered: () => void): Store {
  const heard = async (address: string, init: RequestInit): Promise<Response> => {
    const leaving = await isLeaving(await fetch(address, init));
    if (!leaving.yes) answered();
    return leaving.response;
  };
  const client = createClient({ url, token, name: CLIENT_NAME, fetch: heard });
  return {
    client,
    list: async (query) => (await client.sessions.list(query)).sessions,
    get: (id) =>
      client.sessions.get(id).catch((error: unknown) => {
        if (isCode(error, "session_not_found")) return undefined;
        throw error;
      }),
    events: (id, query) => client.session(id).events(query),
    search: (words, query) => client.search(words, query),
    remove: (id) => client.sessions.delete(id),
    agents: () => client.agents(),
    asks: (session) => (session === undefined ? client.asks() : client.session(session).asks()),
    usage: (query) => client.usage(query),
    async nodes() {
      const nodes = await client.nodes();
      return nodes.length === 0 ? undefined : nodes;
    },
    close: async () => {},
  };
}
