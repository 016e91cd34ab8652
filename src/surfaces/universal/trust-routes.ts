import type { Gateway } from "../../gateway/gateway.ts";
import { get, put, type Route } from "./route.ts";
import { trustList, trustQuery, trustRequest, trustView } from "./schemas.ts";

/** The user's trust in directories. */
export function trustRoutes(gateway: Gateway, defaultDirectory: string): Route[] {
  return [
    get("/v1/trust", "getTrust", {
      summary: "Whether the user trusts a directory, and what its project brings that is used only then.",
      query: trustQuery,
      answer: trustView,
      errors: [403, 422],
      handle: ({ query }) => gateway.trust.look(query.directory ?? defaultDirectory),
    }),
    put("/v1/trust", "setTrust", {
      summary:
        "Trust a directory and all below it, or take that back. An agent that runs there is started anew by its next prompt.",
      body: trustRequest,
      answer: trustView,
      errors: [403, 404, 409, 422, 501, 503],
      handle: ({ body: { directory, trusted } }) =>
        trusted ? gateway.trust.add(directory) : gateway.trust.remove(directory),
    }),
    get("/v1/trusted", "listTrusted", {
      summary: "The directories that the user trusts, and where that is written.",
      answer: trustList,
      handle: async () => ({ trusted: gateway.trust.list() }),
    }),
  ];
}
