import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

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

/** A port of this machine that nobody has refuses at once. */
const REFUSED_MS = 100;

/** As `isFree`, in a third of the time where nobody listens: the code with which Node listens is loaded later then. A port that is taken by who does not listen seems free. */
export function seemsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: REFUSED_MS });
    const look = (): void => {
      socket.destroy();
      resolve(isFree(port));
    };
    socket.once("connect", look).once("timeout", look);
    socket.once("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? resolve(true) : look()));
  });
}

/** Whether a port of the loopback address is free now. It may be taken a moment later. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
