// Stands for a Parley that is killed while it has a server: starts one, says where, and waits.
import { join } from "node:path";
import { createServers } from "../../../src/agents/opencode/serve/servers.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";

const { CRASH_DATA: dataDirectory = "", CRASH_INSTANCE: instance = "" } = process.env;
const host = createProcessHost({ runDirectory: join(dataDirectory, "run"), instance });
const servers = createServers({ host, dataDirectory, readyMs: 120_000 });
const { server } = await servers.lease({ directory: dataDirectory, trusted: true, session: "crashes" });
console.log(server.url);
setInterval(() => {}, 60_000);
