import assert from "node:assert/strict";
import type { Script } from "../../../src/testing/model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../../../src/testing/model/server.ts";
import { eventually } from "../eventually.ts";
import type { Cleanup } from "../server.ts";
import { PATIENCE_MS } from "../time.ts";
import { Surroundings } from "./surroundings.ts";

/** The surroundings of a test of real programs: a home of their own, a scripted model, and a check that no process is left. */
export class Stage implements Cleanup {
  readonly surroundings = new Surroundings();
  readonly #closers: (() => Promise<void>)[] = [];
  readonly model: ScriptedModel;

  private constructor(model: ScriptedModel) {
    this.model = model;
    this.after(() => model.close());
  }

  static async open(script: Script): Promise<Stage> {
    return new Stage(await startScriptedModel({ script }));
  }

  /** Resolves when a reply of the model waits at this name. */
  held(name: string): Promise<void> {
    return this.model.until(() => this.model.held.has(name), AbortSignal.timeout(PATIENCE_MS));
  }

  /** Done when the stage closes, the last one first. */
  after(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closed with the stage. */
  use<T extends AsyncDisposable>(thing: T): T {
    this.after(async () => thing[Symbol.asyncDispose]());
    return thing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) await close().catch((thrown) => failures.push(thrown));
    const left = (): number[] => this.surroundings.running();
    await eventually("every process that was started is gone", () => left().length === 0, 5_000).catch(() => {});
    const survivors = left();
    for (const pid of survivors) process.kill(pid, "SIGKILL");
    this.surroundings[Symbol.dispose]();
    assert.deepEqual(survivors, [], "real programs are left running");
    if (failures.length > 0) throw new AggregateError(failures, "the stage could not be cleared");
  }
}
