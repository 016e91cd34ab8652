import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { createClient } from "../../../src/client/index.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type StageOptions, stage, textOf } from "./stage.ts";

const say = (text: string) => [{ type: "text" as const, text }];

describe("a session that its client opens once more", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());
  const open = async (t: Parameters<typeof stage>[0], more: StageOptions = {}) => {
    const client = await stage(t, { server, ...more });
    const { sessionId: id } = await client.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
    const prompt = (text: string) =>
      client.agent.request<PromptResponse>("session/prompt", { sessionId: id, prompt: say(text) });
    const place = { sessionId: id, cwd: server.directory };
    const load = () => client.agent.request("session/load", { ...place, mcpServers: [] });
    const resume = () => client.agent.request("session/resume", place);
    return { ...client, id, prompt, load, resume };
  };

  test("a load in the middle of its own prompt tells that prompt, and all that came of it", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[slow 700]] [[tools 1]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    await client.load();
    assert.equal((await prompt).stopReason, "end_turn");
    const told = client.updates.findIndex(({ update }) => update.sessionUpdate === "user_message_chunk");
    assert.equal(textOf(client.updates, "user_message_chunk"), "[[slow 700]] [[tools 1]]");
    const later = await stage(t, { server });
    await later.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    assert.equal(textOf(client.updates.slice(told)), textOf(later.updates));
  });

  test("nothing is lost or doubled where it resumes what it has open, again and again", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[flood 3000]]");
    let isOver = false;
    void prompt.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await client.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await prompt).stopReason, "end_turn");
    const flood = Array.from({ length: 3000 }, (_, at) => `word ${at + 1} `).join("");
    assert.equal(textOf(client.updates), flood);
  });

  test("prompts that are given while it is loaded all run and are answered", async (t) => {
    const client = await open(t);
    const answers: Promise<PromptResponse>[] = [];
    for (let round = 0; round < 12; round++) {
      answers.push(client.prompt(`round ${round}`));
      if (round % 3 === 0) void client.load();
    }
    const ends = (await Promise.all(answers)).map(({ stopReason }) => stopReason);
    assert.deepEqual(new Set(ends), new Set(["end_turn"]));
  });

  test("a load that finds the session deleted answers the prompt that ran as cancelled", async (t) => {
    let isGone = false;
    const send = async (url: string, init: RequestInit): Promise<Response> => {
      if (!isGone || !url.endsWith(client.id)) return fetch(url, init);
      return fetch(url.replace(client.id, "ses_none"), init);
    };
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    const prompt = client.prompt("[[slow 700]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    isGone = true;
    await assert.rejects(client.load());
    assert.equal((await prompt).stopReason, "cancelled");
  });

  test("a load that fails in the middle answers the prompt that runs, and the session can be used again", async (t) => {
    let isBroken = false;
    const send = async (url: string, init: RequestInit): Promise<Response> =>
      isBroken && url.includes("/events") ? new Response("{}", { status: 500 }) : fetch(url, init);
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    const prompt = client.prompt("[[slow 700]]");
    prompt.catch(() => {});
    await eventually("it works", () => textOf(client.updates).includes("still"));
    isBroken = true;
    await assert.rejects(client.load());
    await assert.rejects(prompt);
    isBroken = false;
    assert.equal((await client.prompt("again")).stopReason, "end_turn");
  });
});
