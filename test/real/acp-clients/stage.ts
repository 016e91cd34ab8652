import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../../../src/testing/model/server.ts";
import { BIN, Home, type Result } from "../../cli/support.ts";
import { eventually } from "../../support/eventually.ts";
import { strays } from "../../support/process.ts";

export interface StageOptions {
  script: Script;
  /** The environment of the agent, beside that of the house agent. */
  surroundings?(home: string, url: string): Record<string, string | undefined>;
}

/** A home with `parley` in the search path, a project, and the house agent on a scripted model. */
export class Stage {
  readonly home: Home;
  readonly model: ScriptedModel;
  readonly env: Record<string, string>;
  /** Has clients leave. */
  onClose: (() => Promise<unknown>) | undefined;

  constructor(home: Home, model: ScriptedModel, env: Record<string, string>) {
    this.home = home;
    this.model = model;
    this.env = env;
  }

  static async open(t: TestContext, { script, surroundings }: StageOptions): Promise<Stage> {
    const model = await startScriptedModel({ script });
    const home = new Home();
    const program = home.write("bin/parley", `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(home.work, "README.md"), "# Demo\n\nhello\n");
    const more = surroundings?.(home.root, model.url) ?? {};
    const given = Object.entries({
      PATH: `${join(home.root, "bin")}:${process.env.PATH}`,
      PARLEY_AGENT: "house",
      PARLEY_DATA_DIR: home.dataDir,
      ANTHROPIC_API_KEY: "test",
      ANTHROPIC_BASE_URL: model.url,
      ...more,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const stage = new Stage(home, model, Object.fromEntries(given));
    t.after(() => stage.#close());
    return stage;
  }

  get readme(): string {
    return readFileSync(join(this.home.work, "README.md"), "utf8");
  }

  /** Nothing of an agent may be left when its clients have gone. */
  async #close(): Promise<void> {
    try {
      await this.onClose?.();
      await eventually("no agent is left", () => strays(this.home.dataDir).length === 0);
    } finally {
      await this.home[Symbol.asyncDispose]();
      await this.model.close();
    }
  }

  /** Runs a command of Parley beside the client. */
  parley(...args: string[]): Promise<Result> {
    return this.home.run(args, { env: this.env });
  }
}

/** The house agent changes README.md. */
export const EDIT = {
  name: "edit",
  input: { path: "README.md", old: "hello\n", new: "hello\nadded\n" },
};
