import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstLine } from "../cli/support.ts";
import { deadline } from "./time.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

export interface Started {
  readonly url: string;
  readonly child: ChildProcess;
  /** All that it wrote to stderr until now. */
  readonly stderr: () => string;
}

/** A checkout of its own, whose sources a test may change, with the packages of this one. */
export class CheckoutCopy {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "parley-checkout-")));
  readonly cache = join(this.root, "cache");
  /** The folder of compiled starts. */
  readonly kept = join(this.cache, "parley-start");
  readonly #running = new Set<ChildProcess>();

  constructor() {
    for (const part of ["bin", "scripts/start", "src", "schema", "package.json"]) {
      cpSync(join(REPOSITORY, part), this.path(part), { recursive: true });
    }
    const from = join(REPOSITORY, "node_modules");
    mkdirSync(this.path("node_modules"));
    for (const name of readdirSync(from).filter((one) => !one.startsWith("."))) {
      symlinkSync(join(from, name), this.path(join("node_modules", name)));
    }
  }

  path(part: string): string {
    return join(this.root, "checkout", part);
  }

  read(part: string): string {
    return readFileSync(this.path(part), "utf8");
  }

  write(part: string, text: string): void {
    writeFileSync(this.path(part), text);
  }

  append(part: string, text: string): void {
    appendFileSync(this.path(part), text);
  }

  keptFiles(): string[] {
    return existsSync(this.kept) ? readdirSync(this.kept).sort() : [];
  }

  /** The code that was kept, where there is one alone. */
  keptCode(): string {
    const [file, ...others] = this.keptFiles().filter((name) => name.endsWith(".mjs"));
    if (file === undefined || others.length > 0) throw new Error(`expected one file, got ${this.keptFiles()}`);
    return join(this.kept, file);
  }

  async start(env: Readonly<Record<string, string | undefined>> = {}, node: readonly string[] = []): Promise<Started> {
    const data = mkdtempSync(join(this.root, "data-"));
    const args = ["serve", "--json", "--port", "0", "--insecure-no-auth", "--data-dir", data];
    const child = spawn(process.execPath, [...node, this.path("bin/parley.js"), ...args], {
      cwd: this.root,
      env: { PATH: process.env.PATH, HOME: this.root, XDG_CONFIG_HOME: data, NODE_COMPILE_CACHE: this.cache, ...env },
    });
    this.#running.add(child);
    child.once("exit", () => this.#running.delete(child));
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const { url } = JSON.parse(await firstLine(child)) as { url: string };
    return { url, child, stderr: () => said };
  }

  /** The words of a start on stderr until it is ended. */
  async said(env: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const { child, stderr } = await this.start(env);
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    return stderr();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (child) => {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        using _late = deadline(() => child.kill("SIGKILL"));
        await exited;
      }),
    );
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
