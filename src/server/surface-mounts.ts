import type { Surface } from "../surfaces/opencode/context.ts";
import type { Nodes, Told } from "../surfaces/opencode/nodes/contract.ts";
import { ptyTarget } from "../surfaces/opencode/pty/target.ts";
import type { ConsoleLinks } from "../surfaces/universal/console-routes.ts";
import type { NodesView } from "../surfaces/universal/node-routes.ts";
import type { Engine } from "./engine.ts";
import type { Mount } from "./http/mounts.ts";
import { once } from "./once.ts";
import type { ParleyOptions } from "./parley.ts";

interface Served {
  engine(): Promise<Engine>;
  options: Pick<ParleyOptions, "version" | "directory" | "dataDirectory" | "logger" | "advertise">;
}

export function universalMount(served: Served & { nodes: NodesView | undefined; consoleLinks: ConsoleLinks }): Mount {
  const { engine, nodes, consoleLinks, options } = served;
  const { version, directory: defaultDirectory, logger, advertise: advertised } = options;
  return {
    early: true,
    match: (path) => path === "/openapi.json" || path === "/v1" || path.startsWith("/v1/"),
    async load() {
      const { gateway, clients, commands, terminals } = await engine();
      const { createUniversal } = await import("../surfaces/universal/app.ts");
      const given = { gateway, clients, commands, terminals, nodes, consoleLinks };
      return createUniversal({ ...given, version, defaultDirectory, logger, advertised });
    },
    async loadUpgrade() {
      const { gateway, terminals } = await engine();
      const { createTerminalUpgrade } = await import("../surfaces/universal/workspace/terminal-socket.ts");
      return createTerminalUpgrade({ gateway, terminals });
    },
  };
}

/** OpenCode's paths have no common beginning, so that everything nobody else serves is theirs. */
export function opencodeMount(
  served: Served & { nodes: Nodes | undefined },
): Mount & { hear(words: readonly Told[]): void } {
  const { engine, nodes, options } = served;
  const { version, directory: defaultDirectory, dataDirectory, logger, advertise: advertised } = options;
  const surface = once(async (): Promise<Surface> => {
    const { gateway, clients, commands, terminals } = await engine();
    const { createSurface } = await import("../surfaces/opencode/surface.ts");
    const given = { gateway, clients, version, advertised, defaultDirectory, dataDirectory, logger };
    loaded = createSurface({ ...given, commands, terminals, nodes });
    return loaded;
  });
  let loaded: Surface | undefined;
  return {
    match: () => true,
    async load() {
      const { createOpencode } = await import("../surfaces/opencode/app.ts");
      return createOpencode(await surface());
    },
    async loadUpgrade() {
      const { createPtyUpgrade } = await import("../surfaces/opencode/pty/socket.ts");
      return createPtyUpgrade(await surface());
    },
    takesTicket: (target) => ptyTarget(target)?.ticket !== undefined,
    // A surface that is not loaded has no client who could see it.
    hear(words) {
      for (const word of words) loaded?.hear(word);
    },
  };
}
