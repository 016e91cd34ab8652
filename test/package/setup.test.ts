import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = {
  "": { name: "x" },
  "node_modules/a": { version: "1.0.0" },
  "node_modules/node": { version: "24.0.1" },
};
const OTHERS = { "node_modules/windows-only": { version: "1.0.0", optional: true } };

/** Does the work of npm ci: what the lock file names is installed, with the warnings of an old Node. */
const INSTALLS = `
for n in 1 2 3; do echo "npm warn EBADENGINE Unsupported engine {"; done >&2
if [ "$1" = ci ]; then mkdir -p node_modules/.bin; cp installed.json node_modules/.package-lock.json; fi
if [ "$1" = install ]; then
  bin="$3/node_modules/\${6%@*}/bin"; mkdir -p "$bin"; printf '#!/bin/sh\\necho v24.0.1' >"$bin/node"; chmod +x "$bin/node"
fi`;

/** A checkout without packages, in a path with a space, with a script in the place of npm. */
function checkout(t: TestContext, npm: string) {
  const top = mkdtempSync(join(tmpdir(), "parley set-up "));
  t.after(() => {
    if (existsSync(join(top, "check out"))) chmodSync(join(top, "check out"), 0o755);
    rmSync(top, { recursive: true, force: true });
  });
  const root = join(top, "check out");
  const temporary = join(top, "tmp");
  for (const directory of [root, temporary, join(top, "bin"), join(root, "bin")]) mkdirSync(directory);
  for (const path of ["parley", "scripts/setup.mjs", "scripts/setup"]) {
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  }
  writeFileSync(join(root, "bin", "parley.js"), 'console.log("parley runs with", process.argv.slice(2).join(" "));\n');
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { ...PACKAGES, ...OTHERS } }));
  writeFileSync(join(root, "installed.json"), JSON.stringify({ packages: PACKAGES }));
  writeFileSync(join(top, "bin", "npm"), `#!/bin/sh\necho "$*" >>"${root}/calls"\n${npm}\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(top, "bin", "node"));
  const env = { PATH: [join(top, "bin"), "/usr/bin", "/bin"].join(delimiter), HOME: top, TMPDIR: temporary };
  return {
    root,
    temporary,
    env,
    calls: (): string[] =>
      existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8").trim().split("\n") : [],
    run(command: string, ...args: string[]) {
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: "/", env, encoding: "utf8" });
      return { status, stdout, stderr };
    },
  };
}

describe("the set-up of a checkout", () => {
  test("says one line for each begin and end, nothing of npm's warnings, and runs no script of a package", (t) => {
    const { root, run, calls } = checkout(t, INSTALLS);
    const { status, stdout, stderr } = run(join(root, "parley"), "run", "two words");
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "parley runs with run two words\n");
    assert.match(
      stderr,
      /^parley: set-up 1\/1: installing the packages of package-lock\.json …\nparley: set-up 1\/1: done in \d+ s\n$/,
    );
    assert.deepEqual(calls(), ["ci --no-audit --no-fund --no-color --ignore-scripts"]);
  });

  test("is silent when everything is there, and asks npm no more", (t) => {
    const { root, run, calls } = checkout(t, INSTALLS);
    run(join(root, "parley"));
    const { status, stderr } = run(join(root, "parley"));
    assert.deepEqual([status, stderr, calls().length], [0, "", 1]);
  });

  test("npx finds the command without installing the checkout", (t) => {
    const { root, run } = checkout(t, INSTALLS);
    run(process.execPath, join(root, "scripts", "setup.mjs"));
    assert.equal(
      run(process.execPath, join(root, "node_modules", ".bin", "parley"), "x").stdout,
      "parley runs with x\n",
    );
  });

  test("installs again when the lock file names another version, not when it is only newer", (t) => {
    const { root, run, calls } = checkout(t, INSTALLS);
    const setup = join(root, "scripts", "setup.mjs");
    run(process.execPath, setup);
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ name: "renamed", packages: { ...PACKAGES } }));
    run(process.execPath, setup);
    assert.equal(calls().length, 1);
    const packages = { ...PACKAGES, "node_modules/a": { version: "1.0.1" } };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
    run(process.execPath, setup);
    assert.equal(calls().length, 2);
  });

  test("puts the platform's Node in place, without a script of npm's package node", (t) => {
    const { root, env, run, calls } = checkout(t, INSTALLS);
    run(process.execPath, join(root, "scripts", "setup.mjs"));
    const program = `import { bringNode } from ${JSON.stringify(join(root, "scripts/setup/node.mjs"))}; bringNode("log")`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.match(calls()[1] ?? "", /^install --prefix .* node(-bin)?-\w+-\w+@24\.0\.1 .*--ignore-scripts$/);
    assert.equal(run(join(root, "node_modules", ".bin", "node")).stdout, "v24.0.1\n");
  });

  test("a Node that does not run here is said, with what to do", (t) => {
    const { root, env, run } = checkout(t, INSTALLS.replace("echo v24.0.1", "exit 127"));
    run(process.execPath, join(root, "scripts", "setup.mjs"));
    const program = `import { bringNode } from ${JSON.stringify(join(root, "scripts/setup/node.mjs"))}; bringNode("log")`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    assert.match(stderr, /does not run here \(it ended with 127\):\ninstall Node 24 or newer/);
  });

  const FAILURES: [name: string, said: string, expected: RegExp][] = [
    ["no network", "code ENOTFOUND\nnpm error request to x failed", /could not reach its registry: .*online/],
    ["a proxy that is not there", "code ECONNREFUSED", /could not reach its registry: .*HTTPS_PROXY/],
    [
      "a proxy that wants a password",
      "code E407\nnpm error 407 Proxy Authentication Required",
      /the proxy refused npm/,
    ],
    ["npm that is told to be offline", "code ENOTCACHED", /npm is told to be offline/],
    ["a read-only checkout", "code EROFS", /may not be written/],
    ["a full disk", "code ENOSPC", /the disk is full/],
    ["a lock file of another commit", "code EUSAGE", /package-lock\.json does not fit package\.json/],
    ["a registry that refuses", "code E403", /registry refused a package/],
    ["a certificate of a company", "code SELF_SIGNED_CERT_IN_CHAIN", /certificate is unknown: see cafile/],
    ["a failure that nobody foresaw", "code EWHATEVER", /npm says why in its log/],
  ];
  for (const [name, said, expected] of FAILURES) {
    test(`fails plainly: ${name}`, (t) => {
      const npm = `echo "npm warn deprecated ENOSPC" >&2; printf 'npm error ${said}\\n' >&2; exit 1`;
      const { root, run } = checkout(t, npm);
      const { status, stdout, stderr } = run(join(root, "parley"), "serve");
      assert.deepEqual([status, stdout], [1, ""]);
      assert.match(stderr, new RegExp(`npm ci failed \\(1\\): .*${expected.source}`));
      assert.match(stderr, /^parley: {3}npm error code E?\w+/m);
      const [, log = ""] = /all that npm said is in (.*)$/m.exec(stderr) ?? [];
      assert.match(readFileSync(log, "utf8"), /npm warn deprecated/);
      assert.ok(stderr.split("\n").length < 9, stderr);
    });
  }

  test("a checkout that may not be written is said in one line", (t) => {
    const { root, env, run, calls } = checkout(t, INSTALLS);
    chmodSync(env.HOME, 0o755);
    chmodSync(root, 0o555);
    // Root may write everywhere, so that the set-up becomes somebody else.
    const nobody = "if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }";
    const preload = `data:text/javascript,${encodeURIComponent(nobody)}`;
    const { status, stderr } = run(process.execPath, "--import", preload, join(root, "scripts", "setup.mjs"));
    assert.deepEqual([status, calls()], [1, []]);
    assert.match(stderr, /^parley: set-up failed: this checkout, or npm's cache, may not be written: .*\n$/);
  });

  test("says when there is no npm", (t) => {
    const { root, env, run } = checkout(t, "");
    rmSync(join(env.HOME, "bin", "npm"));
    env.PATH = join(env.HOME, "bin");
    assert.match(
      run(process.execPath, join(root, "scripts", "setup.mjs")).stderr,
      /there is no npm in the search path/,
    );
  });

  test("a second set-up waits for the first, and installs nothing again", async (t) => {
    const { root, env, calls } = checkout(t, `${INSTALLS}\necho >"$HOME/begun"; read line <"$HOME/go"`);
    spawnSync("mkfifo", [join(env.HOME, "begun"), join(env.HOME, "go")]);
    const start = () =>
      spawn(process.execPath, [join(root, "scripts", "setup.mjs")], { env, stdio: ["ignore", 2, "pipe"] });
    const first = start();
    t.after(() => first.kill("SIGKILL"));
    spawnSync("cat", [join(env.HOME, "begun")]);
    rmSync(join(root, "node_modules"), { recursive: true });
    const second = start();
    t.after(() => second.kill("SIGKILL"));
    assert.ok(second.stderr);
    const [said] = (await once(second.stderr.setEncoding("utf8"), "data")) as [string];
    assert.equal(said, `parley: process ${first.pid} sets this checkout up: waiting for it …\n`);
    mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
    cpSync(join(root, "installed.json"), join(root, "node_modules", ".package-lock.json"));
    const ended = Promise.all([once(first, "exit"), once(second, "exit")]);
    spawnSync("sh", ["-c", `echo >"${join(env.HOME, "go")}"`]);
    assert.deepEqual(await ended, [
      [0, null],
      [0, null],
    ]);
    assert.equal(calls().length, 1);
  });

  test("a set-up that was killed does not block the next one", (t) => {
    const { root, run } = checkout(t, INSTALLS);
    mkdirSync(join(root, ".parley"));
    const { pid } = spawnSync("true");
    writeFileSync(join(root, ".parley", "set-up"), String(pid));
    assert.equal(run(join(root, "parley")).status, 0);
  });
});
