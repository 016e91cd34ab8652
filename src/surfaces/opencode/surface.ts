import type { CommandHost } from "../../host/contract.ts";
import type { Terminals } from "../../host/terminals/contract.ts";
import { Bus } from "./bus.ts";
import type { Surface } from "./context.ts";
import { oneSpelling } from "./directory.ts";
import { createEnvironment } from "./environment.ts";
import { PtyTickets } from "./pty/tickets.ts";
import { EventHub } from "./streams/hub.ts";
import { projectOf } from "./workspace/project.ts";

type Given = Pick<
  Surface,
  "gateway" | "clients" | "version" | "advertised" | "defaultDirectory" | "dataDirectory" | "logger"
> & {
  commands: CommandHost;
  terminals: Terminals;
};

/** Everything the operations share, from what the server gives. */
export function createSurface({ commands, terminals, ...given }: Given): Surface {
  const { gateway, clients, logger, dataDirectory } = given;
  const bus = new Bus();
  const environment = createEnvironment({ gateway, bus, commands, dataDirectory, logger });
  const hub = new EventHub({
    gateway,
    clients,
    bus,
    logger,
    projectOf: (directory) => projectOf(directory).id,
    heard: () => environment.catalog.renew(),
  });
  const ptys = { terminals, tickets: new PtyTickets() };
  const defaultDirectory = oneSpelling(given.defaultDirectory);
  return { ...given, defaultDirectory, bus, hub, environment, ptys };
}
