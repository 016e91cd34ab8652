import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listProcesses, variableOf } from "../../../src/host/process-scan.ts";
import { installInto, QUIET } from "../../agents/opencode/offline.ts";

const MARK = "PARLEY_TEST_MARK";

function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

/** A home and a project of their own for real programs, and the mark by which all they start can be found. */
export class Surroundings {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "parley-real-")));
  readonly #mark = randomUUID();

  constructor() {
    for (const name of ["home", "work"]) mkdirSync(join(this.root, name));
  }

  /** A directory for a session, with files. Not a repository: most of what real programs do at start is about one. */
  project(name: string, files: Readonly<Record<string, string>> = {}): string {
    const directory = join(this.root, "work", name);
    mkdirSync(directory, { recursive: true });
    for (const [path, text] of Object.entries(files)) this.file(join("work", name, path), text);
    return directory;
  }

  /** The same under version control, which real programs look at and work with. */
  repository(name: string, files: Readonly<Record<string, string>> = {}): string {
    const directory = this.project(name, files);
    const git = (...args: string[]): void => {
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
        cwd: directory,
        env: this.env({ GIT_CONFIG_NOSYSTEM: "1" }),
      });
    };
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message", "Everything");
    return directory;
  }

  /** Writes a file somewhere below the root. */
  file(path: string, text: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Nothing of the machine's own configuration gets in: `home` names one of several homes. */
  env(more: Readonly<Record<string, string>> = {}, home = "home"): Record<string, string> {
    const at = join(this.root, home);
    const config = join(at, ".config");
    if (!existsSync(join(config, "opencode", "package.json"))) installInto(config);
    return {
      PATH: process.env.PATH ?? "",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TMPDIR: this.root,
      HOME: at,
      XDG_CONFIG_HOME: config,
      XDG_DATA_HOME: join(at, ".local", "share"),
      XDG_CACHE_HOME: join(at, ".cache"),
      XDG_STATE_HOME: join(at, ".local", "state"),
      [MARK]: this.#mark,
      ...QUIET,
      ...more,
    };
  }

  /** Processes that were started with this environment, or by one that was, and still run. */
  running(): number[] {
    return listProcesses()
      .filter(({ pid, zombie }) => !zombie && variableOf(environOf(pid), MARK) === this.#mark)
      .map(({ pid }) => pid);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
