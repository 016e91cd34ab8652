import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { houseConfig } from "../../test/support/opencode/native.ts";
import type { Surroundings } from "../../test/support/opencode/surroundings.ts";
import { warmCache } from "../harness/machine.ts";
import { launchParley } from "../harness/server.ts";
import { writeTalk } from "../harness/sessions.ts";
import { importTalk } from "./long-session.ts";
import { openStage, type Stage, type StageOptions } from "./stage.ts";

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

export interface ContestOptions extends StageOptions {
  /** Of the long session. */
  turns: number;
}

/** Native OpenCode and Parley with its own agent, each with a home of its own, on one scripted model and one directory. */
export async function openContest(scope: AsyncDisposableStack, options: ContestOptions): Promise<Contest> {
  const stage = await openStage(scope, options);
  const { program, surroundings, directory, start } = stage;
  const { turns } = options;
  const longSession = await importTalk(program, surroundings, directory, turns);
  return {
    program,
    surroundings,
    directory,
    native: { longSession, start },
    parley: await parleyOn(stage, turns),
  };
}

async function parleyOn({ surroundings, directory, modelUrl }: Stage, turns: number): Promise<Contestant> {
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
