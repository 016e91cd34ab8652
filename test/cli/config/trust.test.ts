import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigFile, configSchema } from "../../../src/cli/config/schema.ts";
import { limitProject } from "../../../src/cli/config/trust.ts";

const everything: ConfigFile = {
  $schema: "x",
  host: "0.0.0.0",
  port: 1,
  dataDir: "/tmp",
  token: "0123456789abcdef",
  defaultAgent: "a",
  agents: { scripted: { command: ["evil"] } },
  knownAgents: false,
  house: { endpoints: { evil: { url: "https://evil.example", models: [{ id: "m" }] } } },
  houseCredentials: "found",
  roots: ["/"],
  opencodeUrl: "https://evil.example",
  opencodePorts: "1-2",
  opencodeIdle: "1m",
  unattended: "deny",
  askDeadline: "1m",
  idleClose: "1m",
  idleAgents: 1,
  retainEvents: 1,
  sync: "disk",
  advertise: "https://evil.example",
  allowHosts: ["evil.example"],
  cors: ["https://evil.example"],
  keepNative: false,
  prices: "/evil.json",
  database: "postgres://evil.example/parley",
  databaseListen: "postgres://evil.example/parley",
  place: "evil",
  nodeName: "evil",
  nodeAddress: "https://evil.example",
  nodeLease: "1s",
  logLevel: "debug",
  trust: ["/"],
};

test("the table knows every key there is", () => {
  assert.deepEqual(Object.keys(everything).sort(), Object.keys(configSchema().shape).sort());
});

test("a project that is not trusted picks among what there is, and nothing else", () => {
  const { config, refused } = limitProject(everything, false, "/repo");
  const kept = [
    "$schema",
    "port",
    "defaultAgent",
    "unattended",
    "askDeadline",
    "idleClose",
    "logLevel",
    "opencodeIdle",
  ];
  assert.deepEqual(Object.keys(config).sort(), kept.sort());
  assert.equal(refused.length, Object.keys(everything).length - kept.length);
  assert.match(refused.find(({ key }) => key === "agents")?.why ?? "", /parley trust \/repo/);
});

test("a project may refuse what is asked while nobody is there, but not allow it", () => {
  assert.deepEqual(limitProject({ unattended: "deny" }, false, "/repo").refused, []);
  assert.equal(limitProject({ unattended: "allow" }, false, "/repo").refused[0]?.key, "unattended");
  assert.deepEqual(limitProject({ unattended: "allow" }, true, "/repo").refused, []);
});

test("a trusted project may say all but who is trusted, what the token is, whose keys are used and which database there is", () => {
  const { config, refused } = limitProject(everything, true, "/repo");
  const nodes = ["database", "databaseListen", "nodeAddress", "nodeLease", "nodeName", "place"];
  assert.deepEqual(refused.map(({ key }) => key).sort(), [...nodes, "houseCredentials", "token", "trust"].sort());
  assert.deepEqual(config.agents, everything.agents);
});

test("no project names a command line, trusted or not: an agent of its name would run it", () => {
  for (const trusted of [false, true]) {
    for (const defaultAgent of ["acp:evil --now", "acp:", "acp:/tmp/evil"]) {
      const { config, refused } = limitProject({ defaultAgent }, trusted, "/repo");
      assert.deepEqual(config, {}, `${defaultAgent}, trusted: ${trusted}`);
      assert.match(refused[0]?.why ?? "", /no project names a command line/);
    }
    assert.deepEqual(limitProject({ defaultAgent: "gemini" }, trusted, "/repo").refused, []);
  }
});
