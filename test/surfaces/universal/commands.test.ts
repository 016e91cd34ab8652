import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type SlashCommand } from "../../../src/client/index.ts";
import type { Outcome, Receipt } from "../../../src/core/receipt.ts";
import { startServer, temporary } from "../../support/server.ts";

async function give(directory: string, name: string, text: string): Promise<void> {
  await mkdir(join(directory, ".claude/commands"), { recursive: true });
  await writeFile(join(directory, `.claude/commands/${name}.md`), text);
}

test("a session's slash commands are listed with the words that they take", async (t) => {
  const { api, directory } = await startServer(t, { defaultAgent: "house" });
  await give(directory, "greet", "---\ndescription: |\n  Greets\n  somebody\n---\nSay hello to $1 and $ARGUMENTS");
  const { id } = await api.create();
  const { commands } = await api.expect<{ commands: SlashCommand[] }>(200, "GET", `/v1/sessions/${id}/commands`);
  assert.deepEqual(
    commands.map(({ name, source }) => [name, source]),
    [
      ["init", "parley"],
      ["review", "parley"],
      ["greet", "project"],
    ],
  );
  assert.deepEqual(commands[2], {
    name: "greet",
    description: "Greets somebody",
    hint: "$1 $ARGUMENTS",
    source: "project",
  });
  assert.deepEqual(await createClient({ url: api.url }).session(id).commands(), commands);
  await api.refused("session_not_found", "GET", "/v1/sessions/ses_none/commands");
});

test("a slash command becomes a prompt, once for each id", async (t) => {
  const { api, directory } = await startServer(t, { defaultAgent: "house" });
  await give(directory, "greet", "Say hello to $ARGUMENTS");
  const { id } = await api.create();
  const path = `/v1/sessions/${id}/commands`;
  const body = { id: "msg_greet", command: "greet", arguments: "the world" };
  const outcome = await api.expect<Outcome>(200, "POST", `${path}?wait=true`, body);
  assert.match(outcome.text, /You said: Say hello to the world/);
  assert.deepEqual(await api.expect<Receipt>(202, "POST", path, body), outcome.receipt);
  await api.refused("prompt_conflict", "POST", path, { ...body, arguments: "somebody else" });
  const session = createClient({ url: api.url }).session(id);
  const receipt = await session.command("greet", "me", { parts: [{ type: "text", text: "and this" }] });
  assert.match((await session.turn(receipt).outcome()).text, /Say hello to me/);
  await api.refused("command_not_found", "POST", path, { command: "nothing" });
  await api.refused("invalid", "POST", path, { command: "" });
  await api.refused("invalid", "POST", path, { command: "greet", delivery: "queue" });
  await api.refused("invalid", "POST", path, { command: "greet", parts: [{ type: "file", path: "../../etc/passwd" }] });
});

test("a project's command that runs something is refused where the project is not trusted", async (t) => {
  const { api, directory } = await startServer(t, { defaultAgent: "house" });
  await give(directory, "where", "You are in !`pwd`");
  const { id } = await api.create();
  await api.refused("untrusted_project", "POST", `/v1/sessions/${id}/commands`, { command: "where" });
});

test("commands of a session outside of the roots are neither listed nor run", async (t) => {
  const server = await startServer(t, { defaultAgent: "house" });
  const { id } = await server.api.create();
  await server.restart({ roots: [await temporary(t)] });
  const path = `/v1/sessions/${id}/commands`;
  await server.api.refused("forbidden", "GET", path);
  await server.api.refused("forbidden", "POST", path, { command: "init" });
});
