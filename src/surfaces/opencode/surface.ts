import { Bus } from "./bus.ts";
import type { Surface } from "./context.ts";
import { EventHub } from "./streams/hub.ts";

/** Everything the operations share, from what the server gives. */
export function createSurface(given: Omit<Surface, "bus" | "hub">): Surface {
  const { gateway, clients, logger } = given;
  const bus = new Bus();
  const hub = new EventHub({ gateway, clients, bus, logger, projectOf: () => "global" });
  return { ...given, bus, hub };
}
