import { z } from "zod";
import { post, type Route } from "./route.ts";

/** Makes codes that each let one browser in. */
export interface ConsoleLinks {
  /** Undefined where everybody is let in: there is no token. */
  make(): { code: string; lastsMs: number } | undefined;
}

const link = z
  .looseObject({
    url: z.string().describe("for a browser: it lets in one, once"),
    expires: z.number().nullable().describe("when it is no longer good; null where the server has no token"),
  })
  .meta({ id: "ConsoleLink" });

export function consoleRoutes(links: ConsoleLinks, advertised: string | undefined): Route[] {
  return [
    post("/v1/console-links", "createConsoleLink", {
      summary: "Make a link that lets one browser in to the console, once, within five minutes.",
      status: 201,
      answer: link,
      handle: async ({ header }) => {
        const base = advertised ?? `http://${header("host") ?? "127.0.0.1"}`;
        const made = links.make();
        if (!made) return { url: `${base}/console/`, expires: null };
        return { url: `${base}/console/#enter=${made.code}`, expires: Date.now() + made.lastsMs };
      },
    }),
  ];
}
