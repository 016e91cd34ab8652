import type { Agent, AgentCapabilities } from "../agents/contract.ts";

/** What an agent can do that not every one can, as clients read it. */
export function capabilitiesOf({
  capabilities = {},
}: Pick<Agent, "capabilities">): Record<keyof AgentCapabilities, boolean> {
  const { fork = false, rewind = false, compact } = capabilities;
  return { fork, rewind, compact: compact !== undefined };
}
