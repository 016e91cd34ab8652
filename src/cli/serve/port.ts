import { once } from "node:events";
import { createServer } from "node:net";
import { systemCodeOf } from "../exit.ts";

/** Whether the port is free. Other errors count as free: the real start reports them. */
export async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  try {
    const listening = once(probe, "listening");
    probe.listen(port, host.replace(/^\[(.*)\]$/, "$1"));
    await listening;
    return true;
  } catch (thrown) {
    return systemCodeOf(thrown) !== "EADDRINUSE";
  } finally {
    probe.close();
  }
}

/** The wanted port if it is free, else 0 for any free one. */
export async function choosePort(host: string, wanted: number): Promise<number> {
  return (await isFree(host, wanted)) ? wanted : 0;
}
