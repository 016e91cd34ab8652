import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Shell, TerminalInfo } from "../../../../src/host/terminals/contract.ts";
import { alive, identify } from "../../../host/support.ts";
import { startRig } from "./rig.ts";

interface Located<T> {
  location: { directory: string; project: { id: string; directory: string } };
  data: T;
}

describe("B10: the operations of terminals", { concurrency: 2 }, () => {
  test("those of a directory are listed, and found, with that directory", async (t) => {
    const rig = await startRig(t);
    const other = join(rig.directory, "ö ther");
    await mkdir(other);
    const here = await rig.run("read x");
    const query = `directory=${encodeURIComponent(other)}`;
    const created = await rig.call<TerminalInfo>("POST", `/pty?${query}`, {
      command: "/bin/sh",
      args: ["-c", "read x"],
    });
    const there = created.body;
    assert.equal(there.cwd, other);
    const ids = async (path: string): Promise<string[]> =>
      (await rig.call<TerminalInfo[]>("GET", path)).body.map((one) => one.id);
    assert.deepEqual(await ids("/pty"), [here.id]);
    assert.deepEqual(await ids(`/pty?${query}`), [there.id]);
    const { body } = await rig.call<Located<TerminalInfo[]>>("GET", `/api/pty?location[${query.replace("=", "]=")}`);
    assert.deepEqual(body.data, [there]);
    assert.equal(body.location.directory, other);
    assert.equal((await rig.call("GET", `/pty/${there.id}`)).status, 200, "without a directory the id is enough");
    assert.equal((await rig.call("GET", `/pty/${there.id}?${query}`)).status, 200);
    const misplaced = await rig.call("GET", `/pty/${here.id}?${query}`);
    assert.equal(misplaced.status, 404);
    assert.equal((await rig.call("DELETE", `/api/pty/${here.id}?${query}`)).status, 404);
    assert.deepEqual(
      rig.events.map(({ type, directory }) => [type, directory]),
      [
        ["pty.created", rig.directory],
        ["pty.created", other],
      ],
    );
  });

  test("the newer half of the API wraps, keeps what has exited and deletes without a word", async (t) => {
    const rig = await startRig(t);
    const project = { id: "global", directory: "/" };
    const location = { directory: rig.directory, project };
    const created = await rig.call<Located<TerminalInfo>>("POST", "/api/pty", {
      command: "/bin/sh",
      args: ["-c", "read x; exit 5"],
      title: "mine",
    });
    const { id } = created.body.data;
    assert.deepEqual(created.body.location, location);
    const changed = await rig.call<Located<TerminalInfo>>("PUT", `/api/pty/${id}`, { title: "yours" });
    assert.deepEqual(changed.body, { location, data: { ...created.body.data, title: "yours" } });
    const client = await rig.join(id);
    client.send("\n");
    await client.closed;
    const exited = { ...changed.body.data, status: "exited", exitCode: 5 };
    assert.deepEqual((await rig.call("GET", "/api/pty")).body, { location, data: [exited] });
    assert.deepEqual((await rig.call("GET", `/api/pty/${id}`)).body, { location, data: exited });
    assert.deepEqual((await rig.call("GET", "/pty")).body, []);
    assert.equal((await rig.call("DELETE", `/pty/${id}`)).status, 404);
    assert.deepEqual(await rig.call("DELETE", `/api/pty/${id}`), { status: 204, body: undefined });
    assert.equal((await rig.call("GET", `/api/pty/${id}`)).status, 404);
    assert.deepEqual(
      rig.events.map(({ type }) => type),
      ["pty.created", "pty.updated", "pty.exited", "pty.deleted"],
    );
  });

  test("a terminal that cannot be opened is refused with the reason", async (t) => {
    const rig = await startRig(t);
    await writeFile(join(rig.directory, "file"), "");
    const refused = async (body: unknown): Promise<string> => {
      const older = await rig.call<{ name: string; data: { message: string } }>("POST", "/pty", body);
      const newer = await rig.call<{ _tag: string; message: string }>("POST", "/api/pty", body);
      assert.deepEqual([older.status, older.body.name, newer.status], [400, "BadRequest", 400], JSON.stringify(body));
      return older.body.data.message;
    };
    assert.match(await refused({ cwd: "/nowhere/at/all" }), /\/nowhere\/at\/all does not exist/);
    assert.match(await refused({ cwd: "file" }), /file is not a directory/);
    assert.match(await refused({ command: "no-such-program" }), /no program no-such-program was found/);
    assert.match(await refused({ command: "./file" }), /no program/);
    assert.match(await refused({ args: ["a\0b"] }), /NUL/);
    await refused({ env: { "A=B": "c" } });
    await refused({ args: "one" });
    const { id } = await rig.run("read x");
    assert.equal((await rig.call("PUT", `/pty/${id}`, { size: { rows: 0, cols: 80 } })).status, 400);
    assert.equal((await rig.call("PUT", `/pty/${id}`, { size: { rows: 24 } })).status, 400);
    assert.equal((await rig.call("PUT", "/pty/pty_none", { title: "x" })).status, 404);
    assert.equal((await rig.call("GET", "/pty/nonsense")).status, 404);
    assert.equal(rig.events.length, 1);
  });

  test("a program of the working directory and one of the search path are found", async (t) => {
    const rig = await startRig(t);
    await writeFile(join(rig.directory, "own.sh"), "#!/bin/sh\nprintf mine", { mode: 0o700 });
    for (const body of [{ command: "./own.sh" }, { command: "own.sh", env: { PATH: rig.directory } }]) {
      const created = await rig.call<TerminalInfo>("POST", "/pty", body);
      assert.equal(created.body.command, body.command);
      const client = rig.connect(created.body.id);
      assert.equal(await client.closed, 1000);
      assert.equal(client.text, "mine");
    }
  });

  test("more than there may be are refused, until one is gone", async (t) => {
    const rig = await startRig(t, { limit: 2 });
    const body = { command: "/bin/sh", args: ["-c", "read x"] };
    const answers = await Promise.all(
      [1, 2, 3].map(() => rig.call<{ _tag?: string; id: string }>("POST", "/pty", body)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
    assert.equal(answers.find(({ status }) => status === 429)?.body._tag, "PtyLimitError");
    const open = answers.find(({ status }) => status === 200)?.body.id;
    assert.deepEqual(await rig.call("DELETE", `/pty/${open}`), { status: 200, body: true });
    assert.equal((await rig.call("POST", "/pty", body)).status, 200);
  });

  test("without the native part there is a clear 501", async (t) => {
    const rig = await startRig(t, { load: () => Promise.reject(new Error("no pty.node for this system")) });
    const { status, body } = await rig.call<{ name: string; data: { message: string } }>("POST", "/pty", {});
    assert.deepEqual([status, body.name], [501, "NotSupportedError"]);
    assert.match(body.data.message, /no pty\.node for this system/);
    assert.deepEqual((await rig.call("GET", "/pty")).body, []);
  });

  test("shells are listed", async (t) => {
    const rig = await startRig(t);
    const { body } = await rig.call<Shell[]>("GET", "/pty/shells");
    assert.ok(body.some(({ path, name, acceptable }) => path === "/bin/sh" && name === "sh" && acceptable));
  });

  test("a program gets a terminal's variables and none of Parley's", async (t) => {
    const rig = await startRig(t);
    const secrets = { PARLEY_TOKEN: "secret-secret-secret", PARLEY_DATA_DIR: "/somewhere", TMUX: "/tmp/tmux" };
    Object.assign(process.env, secrets);
    t.after(() => {
      for (const name of Object.keys(secrets)) delete process.env[name];
    });
    const { body } = await rig.call<TerminalInfo>("POST", "/pty", {
      command: "/usr/bin/env",
      env: { MINE: "ünï", TERM: "dumb" },
    });
    const client = rig.connect(body.id);
    await client.closed;
    const variables = client.text.split("\r\n");
    assert.ok(variables.includes("TERM=xterm-256color"));
    assert.ok(variables.includes("OPENCODE_TERMINAL=1"));
    assert.ok(variables.includes("MINE=ünï"));
    assert.ok(variables.includes(`PWD=${rig.directory}`));
    assert.deepEqual(
      variables.filter((one) => /^(PARLEY_|TMUX)/.test(one)).map((one) => one.split("=")[0]),
      ["PARLEY_MARK"],
      "by which strays are found",
    );
  });

  test("DELETE ends all that runs in it, also what left its session and what ignores a hang-up", async (t) => {
    const rig = await startRig(t);
    const { id, pid } = await rig.run(
      "sleep 1000 & echo pid $!; setsid sleep 1001 & echo pid $!; (trap '' HUP; exec sleep 1002) & echo pid $!; sh -c 'sleep 1003 & echo pid $!; wait' & echo all; wait",
    );
    const client = rig.connect(id);
    await client.until("all pids", () => client.text.includes("all") && client.text.split("pid ").length === 5);
    const pids = [pid, ...[...client.text.matchAll(/pid (\d+)/g)].map((match) => Number(match[1]))];
    const family = pids.map(identify);
    assert.equal(family.filter(alive).length, 5);
    assert.deepEqual(await rig.call("DELETE", `/pty/${id}`), { status: 200, body: true });
    assert.deepEqual(family.filter(alive), []);
    assert.equal(await client.closed, 1000);
    assert.deepEqual(
      rig.events.map(({ type }) => type),
      ["pty.created", "pty.deleted"],
    );
  });
});
