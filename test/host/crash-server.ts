// A stand-in for a server that is killed: starts programs through the host, prints their pids, and works on.
import { createProcessHost } from "../../src/host/process-host.ts";
import { fixture } from "./support.ts";

const [runDirectory = "", directory = "", instance = ""] = process.argv.slice(2);
const host = createProcessHost({ runDirectory, instance });

const fixtures = [
  fixture("double-fork", "tree"),
  fixture("double-fork", "orphan"),
  fixture("ignores-term"),
  fixture("double-fork", "hidden"),
];
const pids = await Promise.all(
  fixtures.map(async (argv, at) => {
    const first = Promise.withResolvers<string>();
    const program = host.spawn({ argv, directory, session: `ses_${at}` }, { line: first.resolve, oversize() {} });
    await program.write('{"type":"prompt"}');
    const { delta } = JSON.parse(await first.promise);
    return delta.includes("work") ? [program.pid] : delta.split(" ").map(Number);
  }),
);
console.log(JSON.stringify(pids.flat()));
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
