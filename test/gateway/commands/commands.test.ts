import assert from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ParleyError } from "../../../src/core/errors.ts";
import type { CommandRequest } from "../../../src/gateway/session-work.ts";
import { TrustStore } from "../../../src/server/trust/trust-store.ts";
import { temporary } from "../../support/server.ts";
import { answering } from "../fake-agent.ts";
import { ended, type Rig, rig } from "../rig.ts";

interface CommandRig extends Rig {
  work: string;
  session: string;
  /** Runs a command to the end of its turn and gives what the agent got. */
  run(request: CommandRequest): Promise<string[]>;
}

async function commandRig(t: TestContext, commands: Record<string, string>, trusted = true): Promise<CommandRig> {
  const made = await rig(t, { trust: new TrustStore({ configured: trusted ? ["/"] : [] }) });
  made.fake.onPrompt = answering;
  const work = await temporary(t);
  await mkdir(join(work, ".opencode/command"), { recursive: true });
  for (const [name, text] of Object.entries(commands))
    await writeFile(join(work, `.opencode/command/${name}.md`), text);
  const { id: session } = await made.gateway.create({ directory: work });
  const run = async (request: CommandRequest): Promise<string[]> => {
    const { prompt } = await made.gateway.work.command(session, request);
    const began = await made.until(
      session,
      (event) => event.type === "turn.started" && event.data.prompt?.id === prompt,
    );
    await made.until(session, (event) => ended(event) && event.turn === began.turn);
    await made.assertLawful(session);
    return (
      made.fake.last.prompts.at(-1)?.parts.map((part) => (part.type === "text" ? part.text : `file ${part.path}`)) ?? []
    );
  };
  return { ...made, work, session, run };
}

test("a command becomes a prompt", async (t) => {
  const { run } = await commandRig(t, { hello: "Say hello to $ARGUMENTS" });
  assert.deepEqual(await run({ command: "hello", arguments: "Bob" }), ["Say hello to Bob"]);
});

test("what a command in it writes stands in its place, from the session's directory", async (t) => {
  const { run, work } = await commandRig(t, { look: "Files: !`ls *.txt`And !`echo $1; exit 3`." });
  await writeFile(join(work, "a.txt"), "");
  assert.deepEqual(await run({ command: "look", arguments: "done" }), ["Files: a.txt\nAnd done\n."]);
});

test("a project that is not trusted runs no command by one of its own, whatever the words around it", async (t) => {
  const { gateway, session, run, fake, work } = await commandRig(
    t,
    { look: "Files: !`touch ran`", hidden: "Files: !$1`touch ran`", plain: "Say !ARGUMENTS", review: "!`touch ran`" },
    false,
  );
  for (const command of ["look", "hidden", "review"]) {
    await assert.rejects(gateway.work.command(session, { command, arguments: "" }), (error: ParleyError) => {
      assert.equal(error.code, "untrusted_project");
      assert.match(
        error.message,
        new RegExp(`command ${command} runs .*/${command}\\.md \\(touch ran\\).*parley trust ${work}`),
      );
      return true;
    });
  }
  assert.equal(fake.starts.length, 0);
  assert.deepEqual(await run({ command: "plain", arguments: "" }), ["Say !ARGUMENTS"]);
  assert.deepEqual(await readdir(work), [".opencode"]);
});

test("a user's own words in a built-in command of an untrusted project still run", async (t) => {
  const { run } = await commandRig(t, {}, false);
  assert.match((await run({ command: "review", arguments: "!`echo mine`" }))[0] ?? "", /What to review: mine/);
});

test("a project that is not trusted chooses no mode", async (t) => {
  const { run, gateway, session } = await commandRig(t, { here: "---\nagent: plan\nmodel: fake/m2\n---\nGo" }, false);
  await run({ command: "here", arguments: "" });
  const { model, mode } = await gateway.get(session);
  assert.deepEqual([model, mode], ["m2", undefined]);
});

test("files that it names with an @ go with it, but only those in the directory", async (t) => {
  const { run, work } = await commandRig(t, {
    read: "See @notes.md, @sub/deep.ts. Not @gone.md, me@notes.md, @../secret, @link, @/etc/passwd or `@notes.md`. Again @notes.md",
  });
  const outside = await temporary(t);
  await writeFile(join(outside, "secret"), "secret");
  await symlink(join(outside, "secret"), join(work, "link"));
  await mkdir(join(work, "sub"));
  await writeFile(join(work, "notes.md"), "notes");
  await writeFile(join(work, "sub/deep.ts"), "deep");
  assert.deepEqual((await run({ command: "read", arguments: "" })).slice(1), ["file notes.md", "file sub/deep.ts"]);
});

test("an agent's own command reaches it as typed, whatever the project has", async (t) => {
  const { run, fake, gateway, work } = await commandRig(t, { compact: "the project's own" });
  const discovery = await fake.discover();
  fake.discover = async () => ({ ...discovery, commands: [{ name: "compact", description: "shortens" }] });
  assert.deepEqual(await run({ command: "compact", arguments: "now please" }), ["/compact now please"]);
  assert.deepEqual(await run({ command: "compact", arguments: "" }), ["/compact"]);
  const listed = await gateway.work.commands(work);
  assert.deepEqual(
    listed.map(({ name, agent }) => [name, agent]),
    [
      ["init", undefined],
      ["review", undefined],
      ["compact", "fake"],
    ],
  );
});

test("its author's mode and model hold where the agent has them, the client's own count more", async (t) => {
  const { run, gateway, session } = await commandRig(t, {
    here: "---\nagent: plan\nmodel: fake/m2\n---\nGo",
    elsewhere: "---\nagent: nobody\nmodel: other/model\n---\nGo",
  });
  const chosen = async (request: CommandRequest): Promise<unknown[]> => {
    await run(request);
    const { model, mode } = await gateway.get(session);
    return [model, mode];
  };
  assert.deepEqual(await chosen({ command: "elsewhere", arguments: "" }), [undefined, undefined]);
  assert.deepEqual(await chosen({ command: "here", arguments: "" }), ["m2", "plan"]);
  assert.deepEqual(await chosen({ command: "here", arguments: "", model: "m1", mode: "build" }), ["m1", "build"]);
});

test("the same request twice is one turn, even if its files have changed meanwhile", async (t) => {
  const { gateway, session, work, run } = await commandRig(t, { count: "One" });
  const request = { id: "msg_count", command: "count", arguments: "" };
  assert.deepEqual(await run(request), ["One"]);
  await writeFile(join(work, ".opencode/command/count.md"), "Two");
  assert.equal((await gateway.work.command(session, request)).prompt, "msg_count");
  assert.equal((await gateway.get(session)).turns, 1);
  await assert.rejects(gateway.work.command(session, { ...request, arguments: "x" }), { code: "prompt_conflict" });
});

test("an unknown command is refused with those that there are", async (t) => {
  const { gateway, session } = await commandRig(t, { hello: "Hi" });
  await assert.rejects(gateway.work.command(session, { command: "nope", arguments: "" }), {
    code: "command_not_found",
    message: "no command nope; there are: init, review, hello",
  });
  await assert.rejects(gateway.work.command("ses_none", { command: "hello", arguments: "" }), {
    code: "session_not_found",
  });
});
