// Runs in a process of its own, so that its memory is nobody else's: one turn with a line of so many megabytes.
import { createLineProtocolAgent } from "../../../src/agents/line-protocol/agent.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import { fixture } from "../../host/support.ts";

const [megabytes = "", directory = ""] = process.argv.slice(2);
const agent = createLineProtocolAgent({
  name: "huge",
  argv: fixture("huge-line", megabytes),
  host: createProcessHost({ runDirectory: `${directory}/run`, instance: "huge" }),
});

const collect = (): void => {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
};

async function play(): Promise<Record<string, unknown>> {
  const finished = Promise.withResolvers<void>();
  const lengths: number[] = [];
  const unparsed: unknown[] = [];
  const session = agent.open({
    session: "ses_1",
    trusted: false,
    directory,
    emit(signal) {
      if (signal.type === "text") lengths.push(signal.delta.length);
      if (signal.type === "unparsed") unparsed.push(signal);
      if (signal.type === "turn.finished") finished.resolve();
    },
  });
  await session.ready();
  collect();
  const before = process.memoryUsage.rss();
  const begun = performance.now();
  await session.prompt({ id: "msg_1", parts: [{ type: "text", text: "go" }] });
  await finished.promise;
  const ms = performance.now() - begun;
  collect();
  const growth = process.memoryUsage.rss() - before;
  await session.close();
  return { lengths, unparsed, ms, growth };
}

console.log(JSON.stringify(await play()));
