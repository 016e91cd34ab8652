import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A call of npm: it fails with these words, or it installs programs, by package: what each prints, and with which code. */
export type NpmCall =
  | { fails: string }
  | { installs: Record<string, { prints: string; code?: number }>; slowly?: boolean }
  | { puts: PutPackage };

/** A package as it is: what its description says, and its files and the names of packages beside it. */
export interface PutPackage {
  facts: object;
  files?: Record<string, string>;
  beside?: string[];
}

/** One call a line, the last one for all that follow. Installs wait for `go` in its directory when they are slow. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
const here = import.meta.dirname;
const args = process.argv.slice(2);
appendFileSync(join(here, "calls"), JSON.stringify(args) + "\\n");
writeFileSync(join(here, "pid"), String(process.pid));
const calls = readFileSync(join(here, "calls"), "utf8").trim().split("\\n").length;
const plan = JSON.parse(readFileSync(join(here, "plan.json"), "utf8"));
const call = plan[Math.min(calls, plan.length) - 1];
if ("fails" in call) {
  process.stderr.write(call.fails);
  process.exit(1);
}
if (call.slowly && !existsSync(join(here, "go"))) {
  await new Promise((resolve) => {
    const watcher = watch(here, () => existsSync(join(here, "go")) && (watcher.close(), resolve()));
    if (existsSync(join(here, "go"))) { watcher.close(); resolve(); }
  });
}
const root = join(args[args.indexOf("--prefix") + 1], "node_modules");
const wanted = args.at(-1);
const main = wanted.slice(0, wanted.lastIndexOf("@"));
const put = (path, text, mode) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode });
};
if (call.puts) {
  const { facts, files = {}, beside = [] } = call.puts;
  put(join(main, "package.json"), JSON.stringify(facts));
  for (const [path, text] of Object.entries(files)) put(join(main, path), text, 0o755);
  for (const name of beside) put(join(name, "package.json"), "{}");
  process.exit(0);
}
const names = [...Object.keys(call.installs), main + "-another-platform"];
put(join(main, "package.json"), JSON.stringify({ optionalDependencies: Object.fromEntries(names.map((name) => [name, "1"])) }));
for (const [name, { prints, code = 0 }] of Object.entries(call.installs)) {
  put(join(name, "bin", "opencode"), "#!/bin/sh\\necho '" + prints + "'\\nexit " + code + "\\n", 0o755);
}
`;

/** A stand-in for npm, alone in a search path, that does what a test plans. */
export class FakeNpm {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "parley-install-")));
  readonly agents = join(this.root, "data", "agents");
  readonly env: Record<string, string>;

  constructor(...plan: NpmCall[]) {
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "npm.mjs"), NPM);
    writeFileSync(join(bin, "npm"), `#!/bin/sh\nexec '${process.execPath}' '${join(bin, "npm.mjs")}' "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(bin, "plan.json"), JSON.stringify(plan));
    this.env = { PATH: `${bin}:/bin:/usr/bin`, HOME: this.root };
  }

  get calls(): string[][] {
    const lines = readFileSync(join(this.root, "bin", "calls"), "utf8")
      .trim()
      .split("\n");
    return lines.map((line) => JSON.parse(line) as string[]);
  }

  /** Of the last call, once it has begun. */
  get pid(): number | undefined {
    const file = join(this.root, "bin", "pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
  }

  /** Lets slow installs end. */
  go(): void {
    writeFileSync(join(this.root, "bin", "go"), "");
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
