import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import { whenElsewhere } from "../../surfaces/http/elsewhere.ts";
import type { RequestContext } from "../http/request-context.ts";
import { sendProblem } from "../http/respond.ts";
import { forward, type Target } from "./forward.ts";
import { isHop, MOVED_HEADER, PLACE_HEADER, placeOfTarget } from "./hop.ts";
import { passUpgrade } from "./pass-upgrade.ts";

/** A session that moves while a request is passed on is followed so often. */
const FOLLOWED = 2;

const places = new AsyncLocalStorage<string>();

/** The place that the request under way names. */
export function namedPlace(): string | undefined {
  return places.getStore();
}

function unpassed(thrown: unknown): ParleyError {
  return new ParleyError("internal", "the request could not be passed on", {}, thrown);
}

export type Passing = ReturnType<typeof createPassing>;

/** Passes requests on that belong to other nodes, one hop at the most. */
export function createPassing(secret: string) {
  async function pass(request: IncomingMessage, response: ServerResponse, context: RequestContext, error: ParleyError) {
    let target: Target = { node: String(error.details.node), address: String(error.details.address) };
    for (let followed = 0; followed < FOLLOWED; followed++) {
      const moved = await forward({ request, response, id: context.id, body: context.body, secret }, target);
      if (moved === undefined) return;
      target = { node: moved, address: moved };
    }
    throw new ParleyError("unavailable", "the session moves from node to node just now: try again soon");
  }

  /** Answers a request that came from a node and does not belong here either: that node asks the one that is named. */
  function tellMoved(response: ServerResponse, context: RequestContext, error: ParleyError): void {
    response.setHeader(MOVED_HEADER, String(error.details.address));
    sendProblem(response, error, context.id);
  }

  return {
    secret,
    isHop: isHop(secret),
    /** Says how a request is answered that turns out to belong to another node. */
    prepare(request: IncomingMessage, response: ServerResponse, context: RequestContext): void {
      whenElsewhere(request, async (error) => {
        if (context.hop) {
          tellMoved(response, context, error);
          return undefined;
        }
        try {
          await pass(request, response, context, error);
        } catch (thrown) {
          if (!response.headersSent) return isParleyError(thrown) ? thrown : unpassed(thrown);
          response.destroy();
        }
        return undefined;
      });
    },
    /** Passes an upgrade on to the node that a refusal names. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext, error: ParleyError) {
      const target = { node: String(error.details.node), address: String(error.details.address) };
      return passUpgrade({ request, socket, head, id: context.id, secret }, target);
    },
    /** Takes the place out of the path, and answers the request in it. */
    inPlace<T>(request: IncomingMessage, work: () => T): T {
      const at = placeOfTarget(request.url ?? "/");
      if (at) {
        request.url = at.target;
        request.headers[PLACE_HEADER] = at.place;
      }
      const place = request.headers[PLACE_HEADER];
      return typeof place === "string" && place !== "" ? places.run(place, work) : work();
    },
  };
}
