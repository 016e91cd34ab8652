import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../../src/testing/model/script.ts";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { surroundings } from "../../test/agents/codex/stage.ts";
import { type Contestant, throughParley } from "../harness/contestant.ts";
import { hearTurn, type Piece } from "../harness/listen.ts";
import { tempDirectory } from "../harness/machine.ts";
import { Passed } from "../harness/paced.ts";
import { startParley } from "../harness/server.ts";
import { type Line, startAppServer } from "./app-server.ts";

export interface Contest {
  plain(scope: AsyncDisposableStack): Promise<Contestant>;
  parley(scope: AsyncDisposableStack): Promise<Contestant>;
}

const TEXT = "go";

function readLine({ method, params = {} }: Line, thread: string): Piece | undefined {
  if (params.threadId !== thread) return undefined;
  if (method === "item/agentMessage/delta") return { text: params.delta ?? "" };
  return method === "turn/completed" ? { end: true } : undefined;
}

/** The plain app server and Parley with its adapter for it, on one scripted model and one directory; each start has a home of its own. */
export async function openContest(
  scope: AsyncDisposableStack,
  program: string,
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
  let homes = 0;
  const env = () => surroundings(program, join(root, `home${++homes}`), model.url);
  return {
    async plain(inner) {
      const server = inner.use(await startAppServer(program, env()));
      return {
        pid: server.pid,
        open: async () => (await server.ask("thread/start", { cwd: directory })).result?.thread?.id ?? "",
        turn(thread) {
          const input = [{ type: "text", text: TEXT, text_elements: [] }];
          const begin = () => server.ask("turn/start", { threadId: thread, input });
          return hearTurn({ pieces, sent, begin }, async (take) =>
            server.listen((line, now) => {
              const piece = readLine(line, thread);
              if (piece) take(piece, now);
            }),
          );
        },
      };
    },
    async parley(inner) {
      const server = await startParley(inner, { flags: ["--dir", directory], env: env() });
      return throughParley(server, { agent: "codex", text: TEXT, pieces, sent });
    },
  };
}
