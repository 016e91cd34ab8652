import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../../src/testing/model/script.ts";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { hearTurn } from "../harness/listen.ts";
import { tempDirectory } from "../harness/machine.ts";
import { type Heard, Passed } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import type { Both, Side } from "../harness/versus.ts";
import { type StdioAgent, startAgent } from "./stdio-agent.ts";

/** An agent's own way to speak the protocol, and its name in Parley. */
export interface Rival {
  name: string;
  agent: string;
  argv: readonly [string, ...string[]];
  /** The environment in which the agent finds its home and the model. */
  surroundings(home: string, modelUrl: string): Readonly<Record<string, string | undefined>>;
}

export interface Contest {
  start(scope: AsyncDisposableStack, side: Side): Promise<StdioAgent>;
  open(agent: StdioAgent): Promise<string>;
  turn(agent: StdioAgent, session: string): Promise<Heard>;
}

/** The rival and `parley acp` with the same agent, on one scripted model and one directory; each has a home of its own. */
export async function openContest(
  scope: AsyncDisposableStack,
  rival: Rival,
  answer: Step,
  pieces: number,
): Promise<Contest> {
  const sent = new Passed();
  const model = await startScriptedModel({
    script: { prompts: { "*": [answer] } },
    onPiece: (data) => sent.note(data),
  });
  scope.defer(() => model.close());
  const root = await tempDirectory(scope);
  const directory = join(root, "project");
  mkdirSync(directory);
  writeFileSync(join(directory, "README.md"), "# Project\n");
  const argv: Both<readonly [string, ...string[]]> = {
    native: rival.argv,
    parley: [process.execPath, installedParley(), "acp", "--agent", rival.agent],
  };
  const env = (side: Side) => {
    const home = join(root, side);
    mkdirSync(home, { recursive: true });
    const own = { XDG_CONFIG_HOME: join(home, ".config"), XDG_DATA_HOME: join(home, ".local", "share") };
    return { ...own, ...rival.surroundings(home, model.url), PARLEY_DATA_DIR: join(home, "parley") };
  };
  return {
    start: async (inner, side) => inner.use(await startAgent({ argv: argv[side], env: env(side), directory })),
    open: async (agent) => (await agent.ask("session/new", { cwd: directory, mcpServers: [] })).result?.sessionId ?? "",
    turn(agent, sessionId) {
      const answered = Promise.withResolvers<void>();
      const begin = async (): Promise<void> => {
        await agent.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
        answered.resolve();
      };
      return hearTurn({ pieces, sent, begin }, async (take) => {
        void answered.promise.then(() => take({ end: true }, performance.now()));
        return agent.listen(({ params }, now) => {
          const update = params?.update;
          if (update?.sessionUpdate === "agent_message_chunk") take({ text: update.content?.text ?? "" }, now);
        });
      });
    },
  };
}
