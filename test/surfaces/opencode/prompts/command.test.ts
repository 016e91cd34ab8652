import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { playing, say } from "../../../agents/house/support.ts";
import { eventually } from "../../../support/eventually.ts";
import { type TurnRig, textsOf, turnRig } from "../turn-rig.ts";

interface CommandInfo {
  name: string;
  description?: string;
  agent?: string;
  template: string;
  hints: string[];
  source: string;
}

async function give(made: TurnRig, name: string, text: string): Promise<void> {
  await mkdir(join(made.work, ".opencode/command"), { recursive: true });
  await writeFile(join(made.work, `.opencode/command/${name}.md`), text);
}

test("B11: commands are listed with what they have places for", async (t) => {
  const made = await turnRig(t);
  await give(made, "hello", "---\ndescription: greets\nagent: plan\n---\nSay hello to $1 and $ARGUMENTS");
  await give(made, "plain", "Just this");
  const listed = await made.client.get<CommandInfo[]>("/command");
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["init", "review", "hello", "plain"],
  );
  const [init, , hello, plain] = listed;
  assert.deepEqual(init?.hints, ["$ARGUMENTS"]);
  assert.deepEqual(hello, {
    name: "hello",
    description: "greets",
    agent: "plan",
    source: "command",
    template: "Say hello to $1 and $ARGUMENTS",
    hints: ["$1", "$ARGUMENTS"],
  });
  assert.equal("description" in (plain ?? {}), false, "what is not known is left out, not null");
  assert.deepEqual((await made.client.get<CommandInfo[]>("/command?directory=/nowhere")).length, 2);
});

test("a menu has one line for a description, however many its file has", async (t) => {
  const made = await turnRig(t);
  await give(made, "hello", "---\ndescription: |\n  Greets somebody\n\n    by name\n---\nSay hello");
  const described = (list: readonly CommandInfo[]) => list.find(({ name }) => name === "hello")?.description;
  assert.equal(described(await made.client.get<CommandInfo[]>("/command")), "Greets somebody by name");
  const newer = await made.client.get<{ data: CommandInfo[] }>("/api/command");
  assert.equal(described(newer.data), "Greets somebody by name");
});

test("a command is taken with each body that OpenCode's programs send", async (t) => {
  const { model, asked } = playing(say("One."), say("Two."), say("Three."), say("Four."));
  const made = await turnRig(t, { model });
  await give(made, "hello", "Say hello to $ARGUMENTS");
  await writeFile(join(made.work, "a.txt"), "words");
  const file = { type: "file", mime: "text/plain", filename: "a.txt", url: `file://${join(made.work, "a.txt")}` };
  const bodies: object[] = [
    // The terminal interface, without and with a file; its `run`; the web page.
    { arguments: "", agent: "build", parts: [] },
    {
      arguments: "A",
      agent: "build",
      parts: [{ ...file, source: { type: "file", path: "a.txt", text: { start: 0, end: 1, value: "@" } } }],
    },
    { arguments: "" },
    { arguments: "B\nC", agent: "build", messageID: "msg_web", parts: [{ ...file, id: "prt_web" }] },
  ];
  for (const body of bodies) await made.post(`/session/${made.session}/command`, { command: "hello", ...body });
  assert.equal(asked.length, bodies.length);
});

test("a command runs as a turn, answers with its message, and says so when it is over", async (t) => {
  const { model, asked } = playing(say("Hello Bob!"));
  const made = await turnRig(t, { model });
  await give(made, "hello", "Say hello to $ARGUMENTS");
  const body = { command: "hello", arguments: "Bob", messageID: "msg_hello" };
  const message = await made.post<MessageWithParts>(`/session/${made.session}/command`, body);
  assert.deepEqual(textsOf(message), ["Hello Bob!"]);
  assert.ok(message.info.role === "assistant" && message.info.parentID === "msg_hello");
  assert.match(JSON.stringify(asked[0]?.prompt), /Say hello to Bob/);
  await eventually("it is said to be executed", async () =>
    made.published.some(({ event }) => event.type === "command.executed"),
  );
  const executed = made.published.filter(({ event }) => event.type === "command.executed");
  assert.deepEqual(
    executed.map(({ directory, event }) => [directory, event.properties]),
    [[made.work, { name: "hello", sessionID: made.session, arguments: "Bob", messageID: message.info.id }]],
  );
  const again = await made.post<MessageWithParts>(`/session/${made.session}/command`, body);
  assert.equal(again.info.id, message.info.id);
  assert.equal((await made.gateway.get(made.session)).turns, 1);
});

test("files and pictures that come with a command go to the agent with it", async (t) => {
  const { model, asked } = playing(say("Seen."));
  const made = await turnRig(t, { model });
  await give(made, "look", "Look at @a.txt");
  await writeFile(join(made.work, "a.txt"), "content of a");
  await made.post(`/session/${made.session}/command`, {
    command: "look",
    arguments: "",
    parts: [{ type: "file", mime: "text/plain", filename: "b.txt", url: "data:text/plain,content%20of%20b" }],
  });
  assert.match(JSON.stringify(asked[0]?.prompt), /content of a.*content of b/s);
});

test("init is the command of that name", async (t) => {
  const { model, asked } = playing(say("Written."));
  const made = await turnRig(t, { model });
  const body = { providerID: "house", modelID: "scripted/demo", messageID: "msg_init" };
  assert.equal(await made.post(`/session/${made.session}/init`, body), true);
  assert.match(JSON.stringify(asked[0]?.prompt), /AGENTS\.md/);
  assert.equal(await made.post(`/session/${made.session}/init`, body), true);
  assert.equal(asked.length, 1);
  await made.post(`/session/${made.session}/init`, { modelID: "x" }, 400);
});

test("a command that cannot be run is refused with a named error", async (t) => {
  const made = await turnRig(t);
  const refuse = async (body: unknown, session = made.session): Promise<[number, string, string]> => {
    const { status, body: told } = await made.client.call<{ name: string; data: { message: string } }>(
      "POST",
      `/session/${session}/command`,
      { body },
    );
    return [status, told.name, told.data.message];
  };
  assert.deepEqual(await refuse({ command: "nope", arguments: "" }), [
    404,
    "NotFoundError",
    "no command nope; there are: init, review",
  ]);
  assert.equal((await refuse({ arguments: "" }))[0], 400);
  assert.equal((await refuse({ command: "init", arguments: "", model: "nomodel" }))[0], 400);
  assert.equal((await refuse({ command: "init", arguments: "", model: "house/none" }))[0], 400);
  assert.equal((await refuse({ command: "init", arguments: "", agent: "nobody" }))[0], 400);
  assert.equal((await refuse({ command: "init", arguments: "", messageID: "x" }))[0], 400);
  assert.equal((await refuse({ command: "init", arguments: "" }, "ses_none"))[0], 404);
  assert.equal((await made.gateway.get(made.session)).turns, 0);
});
