import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { launchers, works } from "../../../src/host/marks/launcher.ts";
import { limitFor, numberOf } from "../../../src/host/marks/limit-mark.ts";
import { onLinux } from "../../../src/host/process-identity.ts";
import { readLimit } from "../../../src/host/process-scan.ts";

const own = readLimit("self");
const limit = own && limitFor(numberOf("launcher-test", 1), own);
const skip = limit === undefined && "this process cannot mark what it starts";

test("the system's shell can set the limit where no program for it is there", { skip }, () => {
  assert.ok(limit);
  const shells = launchers().filter((launcher) => launcher(limit, ["x"])[0] === "/bin/sh");
  assert.equal(shells.length, 2);
  assert.ok(shells.some((launcher) => works(launcher, limit)));
});

test("each way that works leaves the program's arguments and name as they are", { skip }, () => {
  assert.ok(limit);
  const odd = ["", " ", "a b", "'", '"$HOME"', "line\nline", "--", "-x", "*"];
  const code = "process.stdout.write(JSON.stringify([process.argv0, ...process.argv.slice(1)]))";
  for (const launcher of launchers().filter((one) => works(one, limit))) {
    const [program, ...args] = launcher(limit, [process.execPath, "-e", code, "--", ...odd]);
    assert.deepEqual(JSON.parse(spawnSync(program, args, { encoding: "utf8" }).stdout), [process.execPath, ...odd]);
  }
});

test("processes of others have limits that anybody may read", { skip: !onLinux && "needs /proc" }, () => {
  assert.ok(readLimit(1));
  assert.equal(readLimit(2 ** 30), undefined);
});
