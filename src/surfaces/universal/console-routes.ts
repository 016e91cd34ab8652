import { z } from "zod";
import { post, type Route } from "./route.ts";

/** Makes codes that each let one browser in. */
export interface ConsoleLinks {
  /** Undefined where everybody is let in: there is no token. */
  make(): { code: string; lastsMs: number } | undefined;
  /** Addresses by which other devices reach the server, where these are others. */
  others(): readonly string[];
}

const link = z
  .looseObject({
    url: z.string().describe("for a browser: it lets in one, once"),
    others: z.array(z.string()).describe("the same link by the addresses that other devices of the network reach"),
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
        const path = made ? `/console/#enter=${made.code}` : "/console/";
        const others = links.others().filter((other) => other !== base);
        return {
          url: `${base}${path}`,
          others: others.map((other) => `${other}${path}`),
          expires: made ? Date.now() + made.lastsMs : null,
        };
      },
    }),
  ];
}
