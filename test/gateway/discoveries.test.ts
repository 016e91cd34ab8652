import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discovery } from "../../src/agents/contract.ts";
import { Discoveries } from "../../src/gateway/discoveries.ts";
import { TrustStore } from "../../src/server/trust/trust-store.ts";
import { FakeAgent } from "./fake-agent.ts";

/** An agent that counts the questions about it. */
class Counting extends FakeAgent {
  asked = 0;
  readonly discoversProjects: boolean;

  constructor(discoversProjects: boolean) {
    super();
    this.discoversProjects = discoversProjects;
  }

  override async discover(): Promise<Discovery> {
    this.asked++;
    return { ...(await super.discover()), detail: `look ${this.asked}` };
  }
}

for (const ofProjects of [true, false]) {
  test(`what is known of an agent is told without a look at it, ${ofProjects ? "by project" : "in general"}`, async () => {
    const agent = new Counting(ofProjects);
    const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
    const look = async (kept: boolean) => (await discoveries.of(agent, "/work", { kept })).detail;
    assert.equal(await look(true), "look 1", "nothing is known yet");
    assert.equal(await look(true), "look 1");
    // Answers about projects are fresh for a while; an agent without projects keeps its answers itself.
    const newest = ofProjects ? "look 1" : "look 2";
    assert.equal(await look(false), newest);
    assert.equal(await look(true), newest);
  });
}

test("what is known of one project is not told of another", async () => {
  const agent = new Counting(true);
  const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
  assert.equal((await discoveries.of(agent, "/one", { kept: true })).detail, "look 1");
  assert.equal((await discoveries.of(agent, "/two", { kept: true })).detail, "look 2");
  assert.equal((await discoveries.of(agent, undefined, { kept: true })).detail, "look 3");
});

test("a look that failed is not kept", async () => {
  const agent = new Counting(false);
  const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
  const discover = agent.discover.bind(agent);
  agent.discover = async () => {
    throw new Error("not today");
  };
  await assert.rejects(discoveries.of(agent, undefined, { kept: true }), /not today/);
  agent.discover = discover;
  assert.equal((await discoveries.of(agent, undefined, { kept: true })).detail, "look 1");
});

test("looks that fail side by side leave what came before them, or nothing", async () => {
  for (const hasCome of [true, false]) {
    const agent = new Counting(false);
    const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
    if (hasCome) await discoveries.of(agent, undefined);
    const discover = agent.discover.bind(agent);
    const looks = [Promise.withResolvers<never>(), Promise.withResolvers<never>()] as const;
    const left = [...looks];
    agent.discover = () => left.shift()?.promise ?? discover();
    const both = [discoveries.of(agent, undefined), discoveries.of(agent, undefined)];
    for (const { reject } of looks) reject(new Error("not today"));
    await Promise.allSettled(both);
    assert.equal((await discoveries.of(agent, undefined, { kept: true })).detail, "look 1");
    assert.equal(agent.asked, 1, "it is asked again only where nothing is known");
  }
});

test("what came is told as it is kept while another look takes its time", async () => {
  const agent = new Counting(false);
  const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
  await discoveries.of(agent, undefined);
  agent.discover = () => new Promise(() => {});
  void discoveries.of(agent, undefined);
  assert.equal((await discoveries.of(agent, undefined, { kept: true })).detail, "look 1");
});

test("an agent that cannot be used is asked again by who asks for it alone", async () => {
  for (const facts of [{ credentials: "missing" }, { installed: false }] as const) {
    const agent = new Counting(true);
    const discover = agent.discover.bind(agent);
    agent.discover = async () => ({ ...(await discover()), ...facts });
    const discoveries = new Discoveries({ trust: new TrustStore({ configured: [] }) });
    const look = async (again: boolean) => (await discoveries.of(agent, "/work", { again })).detail;
    assert.equal(await look(false), "look 1");
    assert.equal(await look(false), "look 1", "lists are read often");
    assert.equal(await look(true), "look 2");
    assert.equal(await look(false), "look 2");
  }
});
