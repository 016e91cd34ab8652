import { ParleyError } from "../../core/errors.ts";
import type { Mount } from "../http/mounts.ts";
import type { Handler } from "../http/request-context.ts";
import { CONSOLE, isConsole } from "./paths.ts";

/** The console's pages. Nothing of them is loaded before their first request. */
export function consoleMount(): Mount {
  return {
    match: isConsole,
    async load(): Promise<Handler> {
      const { createPages } = await import("./pages.ts");
      const { openStock } = await import("./stock.ts");
      const pages = createPages(openStock());
      return async (request, response, { path }) => {
        const { method } = request;
        if (method !== "GET" && method !== "HEAD")
          throw new ParleyError("not_found", `nothing takes ${method} at ${path}: see /openapi.json`);
        if (path === "/console") {
          response.writeHead(302, { location: CONSOLE }).end();
          return;
        }
        await pages(request, response, path);
      };
    },
  };
}
