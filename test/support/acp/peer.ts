import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { eventually } from "../eventually.ts";
import { deadline } from "../time.ts";

/** A message of the protocol, of either side. */
export interface Message {
  jsonrpc: string;
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export type Answerer = (message: Message) => unknown;

export interface PeerOptions {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string | undefined>;
  /** Answers a request of the agent: the result, or undefined for none. */
  answer?: Answerer;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  ms: number;
}

/** A client that speaks lines of JSON with an agent's process, and sees that the agent says nothing else. */
export class Peer implements AsyncDisposable {
  readonly child: ChildProcess;
  /** All that the agent said, in order. */
  readonly messages: Message[] = [];
  /** Lines on stdout that are no messages. */
  readonly noise: string[] = [];
  stderr = "";
  answer: Answerer | undefined;
  readonly #exited: Promise<[number | null, NodeJS.Signals | null]>;
  #id = 0;

  constructor({ argv: [program, ...args], cwd, env, answer }: PeerOptions) {
    this.answer = answer;
    this.child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    this.child.stdin?.on("error", () => {});
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const { stdout } = this.child;
    assert.ok(stdout);
    createInterface({ input: stdout }).on("line", (line) => this.#take(line));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get updates(): Record<string, unknown>[] {
    return this.messages
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => params?.update as Record<string, unknown>);
  }

  /** The agent's words so far. */
  get text(): string {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => (content as { text?: string }).text ?? "")
      .join("");
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  notify(method: string, params: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Sends a request; its answer is waited for with `answered`. */
  send(method: string, params: object): number {
    this.#id += 1;
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`);
    return this.#id;
  }

  answersTo(id: number | string | null): Message[] {
    return this.messages.filter((message) => message.method === undefined && message.id === id);
  }

  async answered(id: number | string | null): Promise<Message> {
    await this.until(`an answer to ${id}`, () => this.answersTo(id).length > 0);
    return this.answersTo(id)[0] as Message;
  }

  /** Sends a request and resolves with its result; rejects with its error. */
  async request(method: string, params: object): Promise<Record<string, unknown>> {
    const { result, error } = await this.answered(this.send(method, params));
    if (error) throw new Error(`${method}: ${error.code} ${error.message} ${JSON.stringify(error.data)}`);
    return result ?? {};
  }

  /** Waits for something that the agent does; an agent that has ended does nothing any more. */
  async until(what: string, check: () => boolean): Promise<void> {
    await eventually(`${what}; stderr: ${this.stderr.slice(-2000)}`, () => {
      if (check()) return true;
      if (this.child.exitCode !== null) throw new Error(`the agent exited before ${what}: ${this.stderr}`);
      return false;
    });
  }

  async initialize(protocolVersion = 1, clientCapabilities: object = {}): Promise<Record<string, unknown>> {
    const info = { name: "test", version: "1" };
    return this.request("initialize", {
      protocolVersion,
      ...(protocolVersion === 1
        ? { clientCapabilities, clientInfo: info }
        : { capabilities: clientCapabilities, info }),
    });
  }

  async newSession(cwd: string, more: object = {}): Promise<string> {
    const { sessionId } = await this.request("session/new", { cwd, mcpServers: [], ...more });
    return String(sessionId);
  }

  prompt(sessionId: string, text: string): number {
    return this.send("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  async stopReason(prompt: number): Promise<unknown> {
    const { result, error } = await this.answered(prompt);
    assert.equal(error, undefined, JSON.stringify(error));
    return result?.stopReason;
  }

  async exited(): Promise<Exit> {
    const begun = performance.now();
    const [code, signal] = await this.#exited;
    return { code, signal, ms: performance.now() - begun };
  }

  /** Closes stdin, as an editor does that quits. */
  async leave(): Promise<Exit> {
    this.child.stdin?.end();
    return this.exited();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGTERM");
      using _late = deadline(() => this.child.kill("SIGKILL"));
      await this.#exited;
    }
    assert.deepEqual(this.noise, [], "stdout carries messages only");
  }

  #take(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.noise.push(line);
      return;
    }
    if (message?.jsonrpc !== "2.0") this.noise.push(line);
    this.messages.push(message);
    if (message.method === undefined || message.id === undefined) return;
    void Promise.resolve(this.answer?.(message)).then((result) => {
      if (result !== undefined) this.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
    });
  }
}
