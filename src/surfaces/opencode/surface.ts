import type { CommandHost } from "../../host/contract.ts";
import type { Terminals } from "../../host/terminals/contract.ts";
import { Bus } from "./bus.ts";
import type { Surface } from "./context.ts";
import { oneSpelling } from "./directory.ts";
import { createEnvironment } from "./environment.ts";
import type { Nodes, Told } from "./nodes/contract.ts";
import { Elsewhere } from "./nodes/elsewhere.ts";
import { PtyTickets } from "./pty/tickets.ts";
import { EventHub } from "./streams/hub.ts";
import { projectOf } from "./workspace/project.ts";

type Given = Pick<
  Surface,
  "gateway" | "clients" | "version" | "advertised" | "defaultDirectory" | "dataDirectory" | "logger"
> & {
  nodes?: Nodes | undefined;
  commands: CommandHost;
  terminals: Terminals;
};

/** Everything the operations share, from what the server gives. */
export function createSurface({ commands, terminals, nodes, ...given }: Given): Surface {
  const { gateway, clients, logger, dataDirectory } = given;
  const bus = new Bus(nodes);
  const environment = createEnvironment({ gateway, bus, commands, dataDirectory, logger, nodes });
  const elsewhere = nodes && new Elsewhere(nodes);
  const hub = new EventHub({
    gateway,
    clients,
    bus,
    logger,
    projectOf: (directory) => projectOf(directory).id,
    know: elsewhere && ((directories) => elsewhere.know(directories)),
    heard: () => environment.catalog.renew(),
  });
  const ptys = { terminals, tickets: new PtyTickets() };
  const defaultDirectory = oneSpelling(given.defaultDirectory);
  function hear(told: Told): void {
    if (told.kind === "event") bus.hear(told.directory, told.event, told.tui ?? false);
    else if (told.kind === "refresh") environment.catalog.refresh();
    else environment.projects.outdated();
  }
  return { ...given, defaultDirectory, bus, hub, environment, ptys, nodes, elsewhere, hear };
}
