import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { ResumeLost } from "../../../src/agents/contract.ts";
import { eventually } from "../../support/eventually.ts";
import type { Watched } from "../contract/watched.ts";
import { openPuppet, SESSION } from "./puppet.ts";
import { played, said, setStage, update, words } from "./stage.ts";

const initialize = (facts: object = {}) => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [], ...facts });
const select = (id: string, category: string, currentValue: string, values: string[]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

async function failure(watched: Watched): Promise<Error> {
  const error = await watched.session.ready().then(
    () => new Error("it was ready"),
    (thrown: Error) => thrown,
  );
  await watched.session.kill(0);
  return error;
}

describe("a login", () => {
  const methods = [
    { id: "web", name: "In the browser", description: "opens a page" },
    { id: "key", name: "A key" },
  ];
  const told = {
    initialize: initialize({ authMethods: methods }),
    "session/new": { error: { code: -32000, message: "Authentication required" } },
  };

  test("that is missing is explained with the ways there are", async (t) => {
    const { begin, rig } = await setStage(t, told, { login: "run stand-in login" });
    const { message } = await failure(begin());
    assert.match(
      message,
      /it wants a login first \(Authentication required\): run stand-in login; .*In the browser \(opens a page\); A key/,
    );
    const found = await rig.agent.discover();
    assert.equal(found.credentials, "missing");
    assert.match(found.detail ?? "", /In the browser/);
  });

  test("that is wanted in the middle of a session is explained, too", async (t) => {
    const initialized = { initialize: initialize({ authMethods: methods }) };
    const { open } = await setStage(t, initialized, { login: "run stand-in login" });
    const watched = await open();
    const error = { code: -32000, message: "Authentication required" };
    const ended = await watched.turn(played([], { error }));
    assert.equal(ended.error?.code, "auth_required");
    assert.match(
      ended.error?.message ?? "",
      /wants a login first \(Authentication required\): run stand-in login; .*A key/,
    );
    await watched.session.close();
  });
});

describe("a session of before", () => {
  const past = [
    update("user_message_chunk", { content: { type: "text", text: "hel" }, messageId: "u" }),
    update("user_message_chunk", { content: { type: "text", text: "lo" }, messageId: "u" }),
    words("Hi."),
    update("tool_call", { toolCallId: "t", title: "read", kind: "read", status: "completed", rawOutput: "x" }),
  ];
  const loads = { initialize: initialize({ agentCapabilities: { loadSession: true } }) };

  for (const when of ["before", "after"] as const)
    test(`is told where that is wanted, also by an agent that tells it ${when} its answer`, async (t) => {
      const { open } = await setStage(t, { ...loads, [when]: { "session/load": past } });
      const watched = await open({ resume: "sess-stand-in", tellPast: true });
      const types = watched.signals.map(({ type }) => type);
      assert.deepEqual(types.slice(0, 4), ["replay.begun", "replay.prompt", "text", "text.done"]);
      assert.deepEqual(watched.all("replay.prompt")[0]?.parts, [{ type: "text", text: "hello" }]);
      assert.equal(watched.all("tool.done").length, 1);
      assert.ok(types.indexOf("replay.ended") > types.indexOf("tool.done"));
      assert.equal(watched.all("session").at(-1)?.resume, "resumed");
      assert.equal((await watched.turn("count 2")).reason, "end_turn");
      await watched.session.close();
    });

  test("is not told where the log has it, and resumed where the agent can", async (t) => {
    const silent = await setStage(t, { ...loads, before: { "session/load": past } });
    const watched = await silent.open({ resume: "old" });
    assert.equal(said(watched), "");
    await watched.session.close();
    const resumes = initialize({ agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } });
    const { open } = await setStage(t, { initialize: resumes, "session/load": { error: { code: 1, message: "no" } } });
    await (await open({ resume: "old" })).session.close();
  });

  test("that the agent cannot go on with is lost", async (t) => {
    const { begin } = await setStage(t, { initialize: initialize() });
    assert.ok((await failure(begin({ resume: "old" }))) instanceof ResumeLost);
  });

  for (const error of [
    { code: -32002, message: "Resource not found" },
    { code: -32602, message: "Invalid params: session not found: nope" },
    { code: -32603, message: "Internal error", data: { details: "Session not found" } },
    { code: -32603, message: "Internal error", data: { details: "No previous sessions found for this project." } },
    { code: -32603, message: "Internal error: no rollout found for thread id x" },
    { code: -32603, message: 'Invalid session identifier "x"' },
    { code: -32602, message: 'Session "3f-a" does not exist' },
    { code: -32602, message: "Unknown session: x" },
  ])
    test(`that it does not know is lost: ${JSON.stringify(error)}`, async (t) => {
      const { begin } = await setStage(t, { ...loads, "session/load": { error } });
      const watched = begin({ resume: "old", tellPast: true });
      assert.ok((await failure(watched)) instanceof ResumeLost);
      assert.equal(watched.all("replay.begun").length, watched.all("replay.ended").length);
    });

  for (const message of [
    "disk full",
    "cannot load session: i/o error",
    "No space left on device, while the session was read",
    "Unknown error while loading the session",
    "Invalid session configuration: no model",
    "could not load session: model m-1 not found",
  ])
    test(`that fails otherwise is no reason for a new one: ${message}`, async (t) => {
      const { begin } = await setStage(t, { ...loads, "session/load": { error: { code: -32603, message } } });
      const error = await failure(begin({ resume: "old" }));
      assert.ok(!(error instanceof ResumeLost));
      assert.ok(error.message.includes(message));
    });

  test("keeps its mode where the agent tells no modes with it, and is refused where that cannot be put in force", async (t) => {
    const silent = { ...loads, "session/load": {} };
    const { open } = await setStage(t, silent);
    const watched = await open({ resume: "old", mode: "plan", model: "m" });
    assert.equal(watched.all("session").at(-1)?.mode, "plan");
    await watched.session.close();
    const refuses = await setStage(t, { ...silent, "session/set_mode": { error: { code: -32601, message: "none" } } });
    assert.match(
      (await failure(refuses.begin({ resume: "old", mode: "plan" }))).message,
      /does not take the mode plan/,
    );
    const fresh = await setStage(t, { "session/new": { sessionId: "sess-stand-in" } });
    assert.match((await failure(fresh.begin({ mode: "plan" }))).message, /it offers no modes/);
  });
});

describe("choices", () => {
  const configOptions = [
    select("model", "model", "a", ["a", "b"]),
    select("mode", "mode", "build", ["build", "plan"]),
    select("reasoning", "thought_level", "low", ["low", "high"]),
    { id: "fast", name: "Fast", type: "boolean", currentValue: false },
  ];
  const changed = [select("model", "model", "b", ["a", "b"]), ...configOptions.slice(1, 2)];
  const told = { "session/new": { sessionId: "sess-stand-in", configOptions } };

  test("are the config options, and an option that goes with the model is gone", async (t) => {
    const { open } = await setStage(t, { ...told, "session/set_config_option": { configOptions: changed } });
    const watched = await open();
    const [facts] = watched.all("session");
    assert.deepEqual([facts?.model, facts?.mode, facts?.options], ["a", "build", { effort: "low", fast: false }]);
    assert.deepEqual(
      facts?.offers?.map(({ id, kind }) => [id, kind]),
      [
        ["effort", "select"],
        ["fast", "boolean"],
      ],
    );
    await watched.session.set({ model: "b" });
    assert.deepEqual(watched.all("session").at(-1)?.offers, []);
    assert.equal(watched.all("session").at(-1)?.model, "b");
    await watched.session.close();
  });

  test("that are not in force after all are refused, and so is one that the agent refuses", async (t) => {
    const { open } = await setStage(t, { ...told, "session/set_config_option": { configOptions } });
    const watched = await open();
    await assert.rejects(watched.session.set({ model: "b" }), /does not take the model b: it is a/);
    await assert.rejects(watched.session.set({ mode: "none" }), /its modes are build, plan/);
    await assert.rejects(watched.session.set({ options: { effort: "high" } }), /effort high/);
    await watched.session.close();
  });

  test("are in force as the agent was told where it does not tell them again", async (t) => {
    const { open } = await setStage(t, { ...told, "session/set_config_option": {} });
    const watched = await open();
    const shown = (): unknown => watched.all("session").at(-1)?.mode;
    await watched.session.set({ mode: "plan" });
    assert.equal(shown(), "plan");
    await watched.session.set({ mode: "build" });
    assert.equal(shown(), "build");
    await watched.session.set({ options: { fast: true } });
    assert.equal(watched.all("session").at(-1)?.options?.fast, true);
    await watched.session.close();
  });

  test("that are not offered any more when they were just set are refused", async (t) => {
    const { open } = await setStage(t, {
      ...told,
      "session/set_config_option": { configOptions: configOptions.slice(0, 1) },
    });
    const watched = await open();
    await assert.rejects(watched.session.set({ mode: "plan" }), /does not take the mode plan/);
    await watched.session.close();
  });

  test("that the agent changes right after it opened the session are those in force", async (t) => {
    const changes = { "session/load": [update("current_mode_update", { currentModeId: "plan" })] };
    const { open } = await setStage(t, {
      after: changes,
      initialize: initialize({ agentCapabilities: { loadSession: true } }),
    });
    const watched = await open({ resume: "sess-stand-in" });
    assert.equal(watched.all("session").at(-1)?.mode, "plan");
    await watched.session.close();
    const puppet = openPuppet(tmpdir(), undefined, { answers: { "session/new": undefined } });
    await eventually("a session is asked for", () => puppet.puppet.asked("session/new") !== undefined);
    puppet.puppet.answer("session/new", { sessionId: SESSION, configOptions });
    const change = { sessionUpdate: "current_mode_update", currentModeId: "plan" };
    puppet.puppet.say({ method: "session/update", params: { sessionId: SESSION, update: change } });
    await puppet.session.ready();
    const facts = puppet.signals.findLast(({ type }) => type === "session");
    assert.equal(facts?.type === "session" && facts.mode, "plan");
    await puppet.session.close();
  });

  test("by requests of their own work where there are no config options", async (t) => {
    const modes = {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code" },
      ],
    };
    const models = { currentModelId: "m1", availableModels: [{ modelId: "m1", name: "M1" }, { modelId: "m2" }] };
    const opened = { sessionId: "sess-stand-in", modes, models };
    const { open, rig } = await setStage(t, { "session/new": opened, "session/set_model": {}, "session/set_mode": {} });
    const watched = await open({ mode: "code", model: "m2" });
    assert.deepEqual([watched.all("session")[0]?.model, watched.all("session")[0]?.mode], ["m2", "code"]);
    await watched.turn(played([update("current_mode_update", { currentModeId: "ask" })]));
    assert.equal(watched.all("session").at(-1)?.mode, "ask");
    const found = await rig.agent.discover();
    assert.deepEqual(
      [found.models.map(({ id }) => id), found.defaultModel, found.modes[0]?.id],
      [["m1", "m2"], "m1", "ask"],
    );
    await watched.session.close();
  });

  test("of a start that cannot be put in force fail it", async (t) => {
    const { begin } = await setStage(t, told);
    assert.match((await failure(begin({ mode: "none" }))).message, /its modes are build, plan/);
  });
});

describe("a start", () => {
  test("in a directory that is not trusted is refused where something of it would run", async (t) => {
    const projectSettings = async () => [{ path: ".stand-in/hooks.json", keys: ["hooks"] }];
    const { begin, open, rig, directory } = await setStage(t, {}, { projectSettings });
    const { message } = await failure(begin({ trusted: false }));
    assert.match(message, /\.stand-in\/hooks\.json \(hooks\).*parley trust/);
    await assert.rejects(async () => rig.agent.sessions?.({ directory, trusted: false }), /parley trust/);
    await (await open({ trusted: true })).session.close();
    const [setting] = (await rig.agent.projectSettings?.(directory)) ?? [];
    assert.equal(setting?.stopsAgent, true, "a person who is asked for trust is told so");
  });

  test("of a program that leaves tells its last words", async (t) => {
    const { begin } = await setStage(t, { before: { "session/new": [{ stderr: "no such model\n" }, { exit: 3 }] } });
    const { message } = await failure(begin());
    assert.match(message, /exit code 3/);
    assert.match(message, /no such model/);
  });

  test("of a program that prints its usage and leaves quotes it, in bounded length", async (t) => {
    const usage = 'seq -f "flag %g" 100000; echo Usage: agent [options]; echo bad option >&2; exit 2';
    const { begin, rig, directory } = await setStage(t, {}, { argv: ["/bin/sh", "-c", usage] });
    const { message } = await failure(begin());
    const said =
      /exit code 2\nlast lines of its stderr:\n {2}bad option\nlast lines of its output:\n {2}flag .*\n[\s\S]* {2}Usage: agent \[options\]\n/;
    assert.match(message, said);
    assert.ok(message.length < 2_000, `${message.length}`);
    const sessions = async () => rig.agent.sessions?.({ directory, trusted: true });
    await assert.rejects(sessions, /its last words: flag .* \/ Usage: agent \[options\] \/ bad option$/);
  });

  test("of a program that does not speak the protocol says so", async (t) => {
    const leaves = await setStage(t, {}, { argv: ["/bin/true"] });
    const ended = await failure(leaves.begin());
    assert.match(ended.message, /exited before it was ready: it did not answer "initialize".*arguments/);
    const silent = await setStage(t, { begins: "silent" }, { readyMs: 300 });
    assert.match((await failure(silent.begin())).message, /not ready within 300 ms: it did not answer "initialize"/);
    const { session } = openPuppet(tmpdir(), undefined, { answers: { "session/new": undefined }, readyMs: 100 });
    await assert.rejects(session.ready(), /not ready within 100 ms: it did not open a session/);
  });

  test("with another version of the protocol is refused", async (t) => {
    const { begin } = await setStage(t, { initialize: { protocolVersion: 2 } });
    assert.match((await failure(begin())).message, /version 2 of the protocol/);
  });

  test("with servers that the agent does not take leaves them out, and a note names them", async (t) => {
    const http = { name: "web", type: "http", url: "http://127.0.0.1:1/" } as const;
    const stdio = { name: "local", type: "stdio", command: "true", env: { A: "1" } } as const;
    const { open, rig } = await setStage(t);
    const { mcp, mcpUnsure } = rig.agent.capabilities ?? {};
    assert.deepEqual(
      [mcp, mcpUnsure],
      [
        ["stdio", "http", "sse"],
        ["http", "sse"],
      ],
      "it has not been asked",
    );
    const without = await open({ mcpServers: [stdio, http] });
    assert.deepEqual(
      without.all("note").map(({ level, code, text }) => [level, code, text]),
      [
        [
          "warn",
          "mcp_left_out",
          "the agent was started without MCP servers of a kind that it does not take: web (http)",
        ],
      ],
    );
    await without.session.close();
    assert.deepEqual([rig.agent.capabilities?.mcp, rig.agent.capabilities?.mcpUnsure], [["stdio"], undefined]);
    const whole = await open({ mcpServers: [stdio] });
    assert.deepEqual(whole.all("note"), []);
    await whole.session.close();
  });

  for (const [told, kinds] of [
    [{}, ["stdio"]],
    [{ http: true }, ["stdio", "http"]],
    [{ http: "yes", sse: true }, ["stdio", "sse"]],
    [{ http: true, sse: true }, ["stdio", "http", "sse"]],
  ] as const)
    test(`the kinds of MCP servers are those that it tells: ${kinds.join(", ")}`, async (t) => {
      const agentCapabilities = { mcpCapabilities: told };
      const { rig } = await setStage(t, { initialize: initialize({ agentCapabilities }) });
      await rig.agent.discover();
      assert.deepEqual([rig.agent.capabilities?.mcp, rig.agent.capabilities?.mcpUnsure], [kinds, undefined]);
    });
});

describe("discovery", () => {
  test("tells version, modes and commands, and sessions tell the commands of their directory", async (t) => {
    const more = update("available_commands_update", { availableCommands: [{ name: "own", description: "d" }] });
    const { rig, open, directory } = await setStage(t, { "session/list": { sessions: [] } });
    const found = await rig.agent.discover();
    assert.deepEqual(
      [found.version, found.credentials, found.modes.map(({ id }) => id)],
      ["1.2.3", "found", ["build", "plan"]],
    );
    assert.deepEqual(found.commands, [{ name: "compact", description: "Shortens the conversation", hint: "focus" }]);
    const watched = await open();
    await watched.turn(played([more]));
    const there = await rig.agent.discover({ directory, trusted: true });
    assert.deepEqual(
      there.commands?.map(({ name }) => name),
      ["own"],
    );
    assert.equal((await rig.agent.discover()).commands?.[0]?.name, "compact");
    await watched.session.close();
    assert.deepEqual(rig.processes(), []);
  });

  test("is of the directory where sessions told models and modes: those of the project, and what was added later", async (t) => {
    const select = (category: string, values: readonly string[], currentValue = values[0]) => ({
      ...{ id: category, name: category, category, type: "select", currentValue },
      options: values.map((value) => ({ value, name: value.toUpperCase() })),
    });
    const { rig, open, directory } = await setStage(t, {
      "session/new": {
        sessionId: "sess-stand-in",
        configOptions: [select("mode", ["ask", "own"], "own"), select("model", ["m1"])],
      },
    });
    const project = { directory, trusted: true };
    const listed = ({ models, modes }: { models: { id: string }[]; modes: { id: string }[] }) =>
      [models, modes].map((list) => list.map(({ id }) => id).join(" "));
    const before = await rig.agent.discover(project);
    assert.deepEqual(listed(before), ["m1", "own ask"]);
    const watched = await open();
    const configOptions = [select("mode", ["ask", "own", "new"], "new"), select("model", ["m1", "m2"])];
    await watched.turn(played([update("config_option_update", { configOptions })]));
    const now = ["m1 m2", "own ask new"];
    assert.deepEqual(listed(await rig.agent.discover(project)), now, "the mode of a new session is the first");
    assert.deepEqual(listed(before), now, "an answer that is kept stays true");
    assert.deepEqual(listed({ ...before }), now);
    assert.equal((await rig.agent.discover(project)).modes[2]?.name, "NEW");
    assert.deepEqual(listed(await rig.agent.discover()), ["m1", "own ask"]);
    await watched.turn(played([update("config_option_update", { configOptions: [] })]));
    assert.deepEqual(listed(before), now, "who tells none says nothing");
    await watched.session.close();
  });

  test("lists and copies sessions where the agent can, and says so where it cannot", async (t) => {
    const can = initialize({ agentCapabilities: { sessionCapabilities: { list: {}, fork: {} } } });
    const listed = {
      sessions: [
        { sessionId: "a", cwd: "DIR", title: "A", updatedAt: "2026-01-02T00:00:00Z" },
        { sessionId: "b", cwd: "/else" },
      ],
    };
    const { rig, directory } = await setStage(t, {
      initialize: can,
      "session/list": listed,
      "session/fork": { sessionId: "copy" },
    });
    const project = { directory, trusted: true };
    assert.deepEqual(await rig.agent.sessions?.({ ...project, directory: "DIR" }), [
      { id: "a", title: "A", updated: Date.parse("2026-01-02") },
    ]);
    assert.equal(await rig.agent.fork?.(project, "a"), "copy");
    const cannot = await setStage(t, { initialize: initialize() });
    assert.equal(cannot.rig.agent.capabilities?.fork, "native");
    await assert.rejects(async () => cannot.rig.agent.fork?.(project, "a"), /does not copy its sessions/);
    assert.equal(cannot.rig.agent.capabilities?.fork, undefined);
    assert.deepEqual(await cannot.rig.agent.sessions?.(project), []);
  });

  test("of a program that does not answer says so in time", async (t) => {
    const { rig } = await setStage(t, { begins: "silent" }, { readyMs: 300 });
    const found = await rig.agent.discover();
    assert.equal(found.installed, true);
    assert.match(found.detail ?? "", /did not answer within 300 ms/);
    assert.deepEqual(rig.processes(), []);
  });
});
