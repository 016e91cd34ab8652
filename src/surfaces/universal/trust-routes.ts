import type { Gateway } from "../../gateway/gateway.ts";
import { type Route, route } from "./route.ts";
import { trustList, trustQuery, trustRequest, trustView } from "./schemas.ts";

/** The user's trust in directories. */
export function trustRoutes(gateway: Gateway, defaultDirectory: string): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/trust",
      id: "getTrust",
      summary: "Whether the user trusts a directory, and what its project brings that is used only then.",
      query: trustQuery,
      status: 200,
      answer: trustView,
      errors: [403, 422],
      handle: ({ query }) => gateway.trust.look(query.directory ?? defaultDirectory),
    }),
    route({
      method: "put",
      path: "/v1/trust",
      id: "setTrust",
      summary:
        "Trust a directory and all below it, or take that back. An agent that runs there is started anew by its next prompt.",
      body: trustRequest,
      status: 200,
      answer: trustView,
      errors: [403, 404, 409, 422, 501, 503],
      handle: ({ body: { directory, trusted } }) =>
        trusted ? gateway.trust.add(directory) : gateway.trust.remove(directory),
    }),
    route({
      method: "get",
      path: "/v1/trusted",
      id: "listTrusted",
      summary: "The directories that the user trusts, and where that is written.",
      status: 200,
      answer: trustList,
      errors: [],
      handle: async () => ({ trusted: gateway.trust.list() }),
    }),
  ];
}
