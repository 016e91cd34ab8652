import { spawn } from "node:child_process";
import {
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
import { delimiter, join } from "node:path";
import { deadline } from "../../support/time.ts";

/** Programs that only say that they ran. */
const STUBS = ["git", "ls", "cat", "touch", "rm", "evil", "grep", "wc", "sudo"];
/** Programs that run others, as the machine has them. */
const REAL = ["env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "find", "bash", "sh"];

function realPath(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}

/** Every kind of shell that this machine has, each once. */
export const SHELLS = [
  ...new Set(["bash", "dash", "sh", "zsh"].flatMap((name) => realPath(name) ?? []).map((path) => realpathSync(path))),
];

export interface Ran {
  /** The programs that ran, each with its first word: `git status`. */
  programs: string[];
  /** The files that were made, from the working directory. */
  files: string[];
}

/** A directory in which a line of shell is run by a real shell that finds nothing but programs which tell on it. */
export class Box {
  readonly root = mkdtempSync(join(tmpdir(), "parley-box-"));
  #count = 0;

  constructor() {
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    // A first word may have lines of its own.
    const tell = `#!/bin/sh\nprintf '%s %s\\0' "\${0##*/}" "$1" >> "\${0%/*}/../ran"\n`;
    writeFileSync(join(this.root, "stub"), tell, { mode: 0o755 });
    for (const name of STUBS) symlinkSync(join(this.root, "stub"), join(bin, name));
    for (const name of REAL) {
      const path = realPath(name);
      if (path) writeFileSync(join(bin, name), `${tell}exec ${path} "$@"\n`, { mode: 0o755 });
    }
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  async run(shell: string, line: string): Promise<Ran> {
    const work = join(this.root, `work${++this.#count}`);
    for (const name of ["ok", "sub"]) mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, "a.txt"), "x\n");
    const log = join(this.root, "ran");
    rmSync(log, { force: true });
    await this.#end(shell, line, work);
    const ran = existsSync(log) ? readFileSync(log, "utf8") : "";
    const left = new Set(["ok", "sub", "a.txt"]);
    const files = readdirSync(work, { recursive: true, encoding: "utf8" }).filter((path) => !left.has(path));
    rmSync(work, { recursive: true, force: true });
    return { programs: ran.split("\0").filter((name) => name !== ""), files };
  }

  /** Background programs of the line hold the output open: their end is waited for, too. */
  #end(shell: string, line: string, cwd: string): Promise<void> {
    const env = { PATH: join(this.root, "bin"), HOME: cwd, LC_ALL: "C.UTF-8" };
    const child = spawn(shell, ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    child.stdout.resume();
    child.stderr.resume();
    const late = deadline(() => child.pid && process.kill(-child.pid, "SIGKILL"));
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", () => {
        late[Symbol.dispose]();
        resolve();
      });
    });
  }
}
