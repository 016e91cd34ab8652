import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Argv, createAcpAgent } from "../../../src/agents/acp/agent.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../../../src/testing/model/server.ts";
import { realAcpAgent } from "../../support/real-acp-agent.ts";
import { realAgent } from "../../support/real-agent.ts";
import type { Cleanup } from "../../support/server.ts";
import { makePlace } from "../contract/rigs.ts";
import type { ContractRig } from "../contract/watched.ts";
import { type Real, surroundingsOf } from "./surroundings.ts";

export type Command = { argv: Argv; skip: false } | { argv?: undefined; skip: string };

/** The command line of a real agent, or why it is not there. */
export async function commandOf(name: Real): Promise<Command> {
  if (name === "opencode-acp") {
    const { program, skip } = await realAgent("opencode");
    return program === undefined ? { skip } : { argv: [program, "acp"], skip: false };
  }
  const { argv, skip } = await realAcpAgent(name);
  if (argv === undefined) return { skip };
  // Without a model's name it asks one which model fits.
  return { argv: name === "gemini" ? [...argv, "-m", "gemini-2.5-flash"] : argv, skip: false };
}

export interface RealRig extends ContractRig {
  model: ScriptedModel;
}

/** A real agent behind the adapter, with a home and a project of its own, and the scripted model. */
export async function realRig(
  t: Cleanup,
  name: Real,
  argv: Argv,
  scriptOf: (project: string) => Script,
): Promise<RealRig> {
  const { host, directory: root, processes } = await makePlace(t);
  const directory = join(root, "project");
  mkdirSync(directory);
  writeFileSync(join(directory, "hello.txt"), "hello world\nline two\n");
  const model = await startScriptedModel({ script: scriptOf(directory) });
  t.after(() => model.close());
  const env = surroundingsOf(name, join(root, "home"), model.url);
  return { agent: createAcpAgent({ name, argv, host, env, dataDirectory: root }), directory, processes, model };
}
