import { ParleyError } from "../../core/errors.ts";
import type { Mount } from "../http/mounts.ts";
import type { Handler } from "../http/request-context.ts";
import type { LoginOptions } from "./login.ts";
import { CONSOLE, isConsole, LOGIN, LOGOUT } from "./paths.ts";

/** The console's pages and its entrance. Nothing of them is loaded before their first request. */
export function consoleMount(options: LoginOptions): Mount {
  return {
    match: isConsole,
    async load(): Promise<Handler> {
      const { createPages } = await import("./pages.ts");
      const { createLogin } = await import("./login.ts");
      const { openStock } = await import("./stock.ts");
      const pages = createPages(openStock());
      const login = createLogin(options);
      return async (request, response, context) => {
        const { method } = request;
        const { path } = context;
        if (method === "POST" && path === LOGIN) return login.enter(request, response, context);
        if (method === "POST" && path === LOGOUT) return login.leave(request, response);
        if (method !== "GET" && method !== "HEAD")
          throw new ParleyError("not_found", `nothing takes ${method} at ${path}: see /openapi.json`);
        if (path !== "/console") return pages(request, response, path);
        response.writeHead(302, { location: CONSOLE, "content-length": 0 }).end();
      };
    },
  };
}
