import { OPENCODE_VERSION, type Surface } from "./context.ts";
import { type Operation, operation } from "./operation.ts";

export function healthOperations(_surface: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/global/health",
      id: "global.health",
      support: "real",
      handle: async () => ({ healthy: true, version: OPENCODE_VERSION }),
    }),
  ];
}
