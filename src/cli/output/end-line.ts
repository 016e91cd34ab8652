import type { StreamEvent, Usage } from "../../client/index.ts";
import { safeLine } from "./safe-text.ts";

const whole = new Intl.NumberFormat("en-US");

function tokensText({ tokens }: Usage): string[] {
  if (!tokens) return [];
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens;
  const cached = cacheRead + cacheWrite;
  const read = `${whole.format(input + cached)} tokens in${cached > 0 ? ` (${whole.format(cached)} cached)` : ""}`;
  return [`${read}, ${whole.format(output)} out`];
}

/** Cents are too coarse for one turn. */
function costText({ cost }: Usage): string[] {
  return cost === undefined ? [] : [`$${cost.toFixed(cost > 0 && cost < 1 ? 4 : 2)}`];
}

/** The model that an event names as the session's. */
export function modelIn(event: StreamEvent): string | undefined {
  return event.type === "turn.started" || event.type === "session.updated" ? event.data.model : undefined;
}

/** The facts of a turn that is over, in one line: agent, model, session, tokens, cost. */
export function endLine({
  agent,
  model,
  session,
  usage = {},
}: {
  agent: string;
  model?: string | undefined;
  session: string;
  usage?: Usage | undefined;
}): string {
  const names = [agent, ...(model === undefined ? [] : [model])].map((name) => safeLine(name));
  return [...names, session, ...tokensText(usage), ...costText(usage)].join(" · ");
}
