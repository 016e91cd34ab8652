import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { type Fields, fieldsIn, isFields, jsonIn } from "../../../src/core/json/fields.ts";

export interface RawOptions {
  program: string;
  /** The program's own directory, with the user's settings. */
  home: string;
  env?: Record<string, string>;
  /** Answers what the program asks. */
  answer?(request: Fields): Fields;
}

/** The settings of a user whose model is the scripted one. */
export function writeConfig(home: string, url: string, more = ""): string {
  const provider = `name = "Scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
  const config = `model = "gpt-5.5"\nmodel_provider = "scripted"\n[model_providers.scripted]\n${provider}${more}`;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), config);
  return config;
}

/** The real program without Parley: lines to it and from it, to see what it does by itself. */
export class RawProgram {
  readonly #child: ChildProcess;
  readonly #options: RawOptions;
  readonly #answers = new Map<unknown, (result: Fields) => void>();
  readonly #ends = new Map<unknown, () => void>();
  #count = 0;

  constructor(t: TestContext, options: RawOptions) {
    this.#options = options;
    const { program, home, env } = options;
    const surroundings = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, SCRIPTED_KEY: "test", ...env };
    this.#child = spawn(program, ["app-server"], { cwd: home, env: surroundings, stdio: ["pipe", "pipe", "ignore"] });
    t.after(() => this.#child.kill("SIGKILL"));
    if (this.#child.stdout) createInterface(this.#child.stdout).on("line", (line) => this.#read(line));
  }

  static async start(t: TestContext, options: RawOptions): Promise<RawProgram> {
    const raw = new RawProgram(t, options);
    const clientInfo = { name: "test", title: "Test", version: "1" };
    await raw.ask("initialize", { clientInfo, capabilities: { experimentalApi: true, requestAttestation: false } });
    raw.#write({ method: "initialized" });
    return raw;
  }

  ask(method: string, params: object): Promise<Fields> {
    const id = ++this.#count;
    const { promise, resolve } = Promise.withResolvers<Fields>();
    this.#answers.set(id, resolve);
    this.#write({ id, method, params });
    return promise;
  }

  /** Plays a turn to its end. */
  async turn(threadId: unknown, text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.set(threadId, resolve);
    await this.ask("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
    await promise;
  }

  async leave(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.stdin?.end();
    await gone;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #read(line: string): void {
    const said = jsonIn(line);
    if (!isFields(said)) return;
    const { id, method } = said;
    const params = fieldsIn(said, "params");
    if (method === undefined) this.#answers.get(id)?.(isFields(said.result) ? said.result : { error: said.error });
    else if (id !== undefined) this.#write({ id, result: this.#options.answer?.(said) ?? { decision: "decline" } });
    else if (method === "turn/completed") this.#ends.get(params.threadId)?.();
  }
}
