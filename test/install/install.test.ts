import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findAgentBinary } from "../../src/install/find.ts";
import { installAgent } from "../../src/install/install.ts";
import { versionDirectory } from "../../src/install/layout.ts";
import { InstallProblem, type InstallProblemKind } from "../../src/install/problem.ts";
import { FakeNpm, type NpmCall } from "./fake-npm.ts";

const PLAIN = "opencode-linux-x64";
const OLD_PROCESSORS = "opencode-linux-x64-baseline";

function installs(version: string, more: Partial<Extract<NpmCall, { installs: object }>> = {}): NpmCall {
  return { installs: { [PLAIN]: { prints: version } }, ...more };
}

const NO_NETWORK = "npm error code ENOTFOUND\nnpm error network request to the registry failed, reason: getaddrinfo\n";

function drafts(npm: FakeNpm): string[] {
  return readdirSync(join(npm.agents, "opencode")).filter((name) => name.startsWith(".draft"));
}

async function fails(npm: FakeNpm, kind: InstallProblemKind, message: RegExp): Promise<void> {
  await assert.rejects(installAgent("opencode", npm), (thrown: unknown) => {
    assert.ok(thrown instanceof InstallProblem, String(thrown));
    assert.equal(thrown.kind, kind);
    assert.match(thrown.message, message);
    return true;
  });
  assert.deepEqual(drafts(npm), []);
  assert.ok(!existsSync(versionDirectory(npm.agents, "opencode", "1.18.33")));
}

test("npm installs the tested version, without scripts, and the platform's own program is found", async () => {
  using npm = new FakeNpm(installs("1.18.33"));
  const result = await installAgent("opencode", npm);
  assert.deepEqual(result, {
    version: "1.18.33",
    path: join(npm.agents, "opencode", "1.18.33", "node_modules", PLAIN, "bin", "opencode"),
    already: false,
  });
  assert.deepEqual(await findAgentBinary("opencode", npm), { path: result.path, version: "1.18.33", from: "parley" });
  const [call = []] = npm.calls;
  for (const word of ["install", "--no-save", "--ignore-scripts"]) assert.ok(call.includes(word), word);
  assert.equal(call.at(-1), "opencode-ai@1.18.33");
  assert.deepEqual(drafts(npm), []);
});

test("the first program that runs here is taken, and no other is kept", async () => {
  using npm = new FakeNpm({
    installs: { [PLAIN]: { prints: "illegal instruction", code: 132 }, [OLD_PROCESSORS]: { prints: "1.18.33" } },
  });
  const { path } = await installAgent("opencode", npm);
  assert.ok(path.includes(OLD_PROCESSORS), path);
  assert.ok(!existsSync(join(versionDirectory(npm.agents, "opencode", "1.18.33"), "node_modules", PLAIN)));
});

test("an installed program is not installed again, unless it is broken or somebody insists", async () => {
  using npm = new FakeNpm(installs("1.18.33"));
  const first = await installAgent("opencode", npm);
  assert.equal((await installAgent("opencode", npm)).already, true);
  assert.equal(npm.calls.length, 1);
  rmSync(first.path);
  assert.equal((await installAgent("opencode", npm)).already, false);
  assert.equal(npm.calls.length, 2);
  assert.equal(
    (await installAgent("opencode", { ...npm, agents: npm.agents, env: npm.env, force: true })).already,
    false,
  );
  assert.equal(npm.calls.length, 3);
  assert.deepEqual(drafts(npm), []);
});

test("the remains of a dead installation are replaced", async () => {
  using npm = new FakeNpm(installs("1.18.33"));
  const half = versionDirectory(npm.agents, "opencode", "1.18.33");
  mkdirSync(join(half, "node_modules", "half"), { recursive: true });
  mkdirSync(join(npm.agents, "opencode", ".draft-dead"));
  assert.equal("missing" in (await findAgentBinary("opencode", npm)), true);
  await installAgent("opencode", npm);
  assert.ok(!existsSync(join(half, "node_modules", "half")));
  assert.deepEqual(drafts(npm), []);
});

test("of two at once, the second waits for the first and finds its work", async () => {
  using npm = new FakeNpm(installs("1.18.33", { slowly: true }));
  const begun = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const first = installAgent("opencode", { agents: npm.agents, env: npm.env, progress: () => begun.resolve() });
  await begun.promise;
  const second = installAgent("opencode", {
    agents: npm.agents,
    env: npm.env,
    force: true,
    progress: (line) => line.includes("waiting") && waits.resolve(),
  });
  await waits.promise;
  npm.go();
  assert.deepEqual([(await first).already, (await second).already], [false, true]);
  assert.equal(npm.calls.length, 1);
});

test("the version that was installed last is used; one that is none is refused", async () => {
  using npm = new FakeNpm(installs("1.18.33"), installs("1.19.0"));
  const { agents, env } = npm;
  await installAgent("opencode", npm);
  await installAgent("opencode", { agents, env, version: "1.19.0" });
  const used = async () => {
    const found = await findAgentBinary("opencode", npm);
    return "missing" in found ? undefined : found.version;
  };
  assert.equal(await used(), "1.19.0");
  await installAgent("opencode", npm);
  assert.equal(await used(), "1.18.33");
  for (const version of ["latest", "../../x", "1.2.3/../.."]) {
    await assert.rejects(installAgent("opencode", { agents, env, version }), /expected a version like 1\.18\.33/);
  }
});

test("a lost connection is tried once more, and no more than once", async () => {
  using flaky = new FakeNpm({ fails: NO_NETWORK }, installs("1.18.33"));
  assert.equal((await installAgent("opencode", flaky)).already, false);
  assert.equal(flaky.calls.length, 2);
  using dead = new FakeNpm({ fails: NO_NETWORK });
  await fails(dead, "network", /could not reach its registry.*npm ping/s);
  assert.equal(dead.calls.length, 2);
});

test("a refusal of npm is told, with what to do about it", async () => {
  using absent = new FakeNpm({ fails: "npm error code ETARGET\nnpm error notarget No matching version found\n" });
  await fails(absent, "registry", /--version\n {2}code ETARGET/);
  assert.equal(absent.calls.length, 1);
  using login = new FakeNpm({ fails: "npm error code E401\n" });
  await fails(login, "registry", /npm login/);
  using full = new FakeNpm({ fails: "npm error code ENOSPC\n" });
  await fails(full, "disk", /free space/);
});

test("a program that says another version, or none, is not taken", async () => {
  using other = new FakeNpm(installs("1.18.32"));
  await fails(other, "unusable", /no program of it runs on .*tried: opencode-linux-x64/);
  using none = new FakeNpm({ installs: {} });
  await fails(none, "unusable", /none for this platform/);
});

test("without npm, it is said", async () => {
  using npm = new FakeNpm(installs("1.18.33"));
  npm.env.PATH = join(npm.root, "nothing");
  await fails(npm, "no_npm", /npm was not found/);
});

test("a program is looked for where the user says, then where Parley installs, then in the search path, then in the home directory", async () => {
  using npm = new FakeNpm(installs("1.18.33"));
  const search = (env: Record<string, string> = {}) =>
    findAgentBinary("opencode", { agents: npm.agents, env: { ...npm.env, ...env } });
  const none = await search();
  assert.match("missing" in none ? none.missing : "", /parley install opencode.*PARLEY_OPENCODE_BIN/);
  const atHome = join(npm.root, ".opencode", "bin", "opencode");
  mkdirSync(dirname(atHome), { recursive: true });
  writeFileSync(atHome, "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(await search(), { path: atHome, from: "home" });
  const own = join(npm.root, "bin", "opencode");
  writeFileSync(own, "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(await search(), { path: own, from: "path" });
  const { path, version } = await installAgent("opencode", npm);
  assert.deepEqual(await search(), { path, version, from: "parley" });
  assert.deepEqual(await search({ PARLEY_OPENCODE_BIN: own }), { path: own, from: "variable" });
  const wrong = await search({ PARLEY_OPENCODE_BIN: "/nowhere/opencode" });
  assert.deepEqual(wrong, {
    missing: "PARLEY_OPENCODE_BIN names /nowhere/opencode, which is no program: correct it, or unset it",
  });
});
