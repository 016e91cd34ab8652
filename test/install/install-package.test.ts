import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installPackage } from "../../src/install/install-package.ts";
import { chosenInstallation, versionDirectory } from "../../src/install/layout.ts";
import { InstallProblem } from "../../src/install/problem.ts";
import { FakeNpm, type PutPackage } from "./fake-npm.ts";

const WHAT = { package: "@makers/agent", version: "1.2.3", bin: "agent" };

test("a package is installed with its bin, which our Node runs where it is a script", async () => {
  const rows: [bin: unknown, file: string, text: string, node: boolean][] = [
    [{ agent: "dist/index.js", other: "x.js" }, "dist/index.js", "", true],
    ["./cli.mjs", "cli.mjs", "", true],
    [{ agent: "../dist/index.js" }, "dist/index.js", "", true],
    [{ agent: "bin/agent" }, "bin/agent", "#!/usr/bin/env node\n", true],
    [{ agent: "bin/agent" }, "bin/agent", "#!/usr/bin/env -S node --no-warnings\n", true],
    [{ agent: "bin/agent" }, "bin/agent", "#!/bin/sh\n", false],
    [{ agent: "bin/agent" }, "bin/agent", "\u007fELF", false],
  ];
  for (const [bin, file, text, node] of rows) {
    using npm = new FakeNpm({ puts: { facts: { bin }, files: { [file]: text } } });
    const installed = await installPackage("mine", WHAT, npm);
    const path = join(npm.agents, "mine", "1.2.3", "node_modules/@makers/agent", file);
    assert.deepEqual(installed, { version: "1.2.3", path, already: false, ...(node ? { node: true } : {}) }, text);
    assert.deepEqual(chosenInstallation(npm.agents, "mine"), {
      version: "1.2.3",
      path,
      ...(node ? { node: true } : {}),
    });
    assert.equal((await installPackage("mine", WHAT, npm)).already, true);
    const [call = [], ...more] = npm.calls;
    assert.deepEqual(more, []);
    for (const word of ["install", "--no-save", "--ignore-scripts"]) assert.ok(call.includes(word), word);
    assert.equal(call.at(-1), "@makers/agent@1.2.3");
  }
});

test("a package that cannot be run is no installation", async () => {
  const files = { "a.js": "" };
  const optionalDependencies = { "@makers/agent-linux-x64": "1.2.3", "@makers/agent-darwin-arm64": "1.2.3" };
  const rows: [puts: PutPackage, says: RegExp][] = [
    [{ facts: {} }, /it has no program agent/],
    [{ facts: { bin: { other: "a.js" } }, files }, /it has no program agent/],
    [{ facts: { bin: { agent: "../../../evil.js" } }, files }, /agent\/evil\.js is not in it/],
    [{ facts: { bin: { agent: "/bin/sh" } }, files }, /agent\/bin\/sh is not in it/],
    [{ facts: { bin: { agent: "b.js" } }, files }, /b\.js is not in it/],
    [{ facts: { bin: "a.js", optionalDependencies }, files }, /its part for \w+ \w+ was not/],
  ];
  for (const [puts, says] of rows) {
    using npm = new FakeNpm({ puts });
    await assert.rejects(installPackage("mine", WHAT, npm), (thrown: unknown) => {
      assert.ok(thrown instanceof InstallProblem, String(thrown));
      assert.equal(thrown.kind, "unusable");
      assert.match(thrown.message, says);
      return true;
    });
    assert.ok(!existsSync(versionDirectory(npm.agents, "mine", "1.2.3")));
    assert.deepEqual(
      readdirSync(join(npm.agents, "mine")).filter((name) => name.startsWith(".draft")),
      [],
    );
  }
  using npm = new FakeNpm({
    puts: { facts: { bin: "a.js", optionalDependencies }, files, beside: ["@makers/agent-linux-x64"] },
  });
  assert.equal((await installPackage("mine", WHAT, npm)).already, false);
});
