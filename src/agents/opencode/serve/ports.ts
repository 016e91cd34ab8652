import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export interface PortRange {
  first: number;
  last: number;
}

export const PORTS: PortRange = { first: 4200, last: 4300 };

/** All ports of a range once, from a random one on: two Parleys on one machine seldom try the same. */
export function portsOf({ first, last }: PortRange, random: (below: number) => number = randomInt): number[] {
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const from = random(all.length);
  return [...all.slice(from), ...all.slice(0, from)];
}

/** Whether a port of the loopback address is free now. It may be taken a moment later. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
