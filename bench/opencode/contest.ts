import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Script } from "../../src/testing/model/script.ts";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { houseConfig, startNative } from "../../test/support/opencode/native.ts";
import { Surroundings } from "../../test/support/opencode/surroundings.ts";
import { endedWithRun } from "../harness/child.ts";
import { warmCache } from "../harness/machine.ts";
import { launchParley } from "../harness/server.ts";
import { writeTalk } from "../harness/sessions.ts";
import { importTalk } from "./long-session.ts";

export interface Running {
  url: string;
  pid: number;
}

/** A server that can be started again and again on the same data. */
export interface Contestant {
  /** Both have one of the same messages. */
  longSession: string;
  start(scope: AsyncDisposableStack): Promise<Running>;
}

export interface Contest {
  program: string;
  surroundings: Surroundings;
  directory: string;
  native: Contestant;
  parley: Contestant;
}

export interface ContestOptions {
  program: string;
  script: Script;
  /** Of the long session. */
  turns: number;
  onPiece(data: string): void;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Native OpenCode and Parley with its own agent, each with a home of its own, on one scripted model and one directory. */
export async function openContest(scope: AsyncDisposableStack, options: ContestOptions): Promise<Contest> {
  const { program, script, turns, onPiece } = options;
  const surroundings = scope.use(new Surroundings());
  scope.use(endedWithRun(() => surroundings.running().forEach(kill)));
  const model = await startScriptedModel({ script, onPiece });
  scope.defer(() => model.close());
  const directory = surroundings.project("project", { "README.md": "# Project\n" });
  return {
    program,
    surroundings,
    directory,
    native: {
      longSession: await importTalk(program, surroundings, directory, turns),
      start: async (inner) => inner.use(await startNative({ program, surroundings, directory, modelUrl: model.url })),
    },
    parley: await parleyOn(surroundings, directory, model.url, turns),
  };
}

async function parleyOn(
  surroundings: Surroundings,
  directory: string,
  modelUrl: string,
  turns: number,
): Promise<Contestant> {
  const home = join(surroundings.root, "parley");
  const dataDirectory = join(home, "data");
  await mkdir(join(home, "parley"), { recursive: true });
  await mkdir(dataDirectory);
  const config = { defaultAgent: "house", house: houseConfig(modelUrl) };
  await writeFile(join(home, "parley", "config.jsonc"), JSON.stringify(config));
  const longSession = await writeTalk(dataDirectory, directory, turns);
  const env = surroundings.env({}, "parley");
  const serve = { dataDirectory, compileCache: warmCache(), flags: ["--dir", directory], env };
  return {
    longSession,
    async start(inner) {
      const { url, child } = await launchParley(inner, home, serve);
      return { url, pid: child.pid };
    },
  };
}
