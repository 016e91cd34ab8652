import type { Script } from "../../src/testing/model/script.ts";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { type NativeServer, startNative } from "../../test/support/opencode/native.ts";
import { Surroundings } from "../../test/support/opencode/surroundings.ts";
import { endedWithRun } from "../harness/child.ts";

export interface StageOptions {
  program: string;
  script: Script;
  onPiece(data: string): void;
}

/** The real OpenCode with a home, a scripted model and a directory of its own. */
export interface Stage {
  program: string;
  surroundings: Surroundings;
  directory: string;
  modelUrl: string;
  /** Starts `opencode serve`. */
  start(scope: AsyncDisposableStack): Promise<NativeServer>;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

export async function openStage(scope: AsyncDisposableStack, options: StageOptions): Promise<Stage> {
  const { program, script, onPiece } = options;
  const surroundings = scope.use(new Surroundings());
  scope.use(endedWithRun(() => surroundings.running().forEach(kill)));
  const model = await startScriptedModel({ script, onPiece });
  scope.defer(() => model.close());
  const directory = surroundings.project("project", { "README.md": "# Project\n" });
  const stage = { program, surroundings, directory, modelUrl: model.url };
  return { ...stage, start: async (inner) => inner.use(await startNative(stage)) };
}
