import { connect } from "node:net";

/** A statement under way, as the server knows it. */
export interface Cancellable {
  host: string;
  port: number;
  processID: number | null;
  secretKey: number | null;
}

/** The number by which the server knows a request to cancel. */
const CANCEL = 80_877_102;
const LIMIT_MS = 2_000;

/**
 * Asks the server to give up a statement that nobody waits for any more: one that waits for a lock would go on waiting
 * after its connection is gone, and each repeat would add another. Nothing comes back, and nothing depends on it.
 */
export function cancelStatement({ host, port, processID, secretKey }: Cancellable): void {
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(16);
  for (const [at, value] of [16, CANCEL, processID, secretKey].entries()) request.writeInt32BE(value | 0, at * 4);
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(LIMIT_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("connect", () => socket.end(request)).unref();
}
