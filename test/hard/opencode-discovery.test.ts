import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createOpenCodeAgent } from "../../src/agents/opencode/agent.ts";
import { Api } from "../../src/agents/opencode/api.ts";
import { createServers } from "../../src/agents/opencode/serve/servers.ts";
import { makeHost } from "../host/support.ts";
import { CONFIG, makePlace, makeProject, write } from "../real/opencode-agent/surroundings.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const { program = "", version, skip } = await realAgent("opencode");

describe("discovery of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("models, modes and commands of the user and of trusted projects, with one start of the program", async (t) => {
    const place = makePlace(t, program);
    const agents = join(place.home, ".config/opencode/agent");
    write(agents, {
      "mine.md": "---\ndescription: my own\nmode: primary\n---\nWork.\n",
      "helper.md": "---\ndescription: helps\nmode: subagent\n---\nHelp.\n",
    });
    write(place.home, { ".local/share/opencode/auth.json": { anthropic: { type: "api", key: "not-a-real-key" } } });
    const { host, directory } = await makeHost(t);
    let starts = 0;
    const counting: typeof host = {
      spawn(...given) {
        starts++;
        return host.spawn(...given);
      },
    };
    const agent = createOpenCodeAgent({
      host: counting,
      dataDirectory: directory,
      env: place.env,
      readyMs: PATIENCE_MS,
    });
    t.after(() => agent.close?.());
    assert.equal(await agent.usable?.(), true);
    const found = await agent.discover();
    assert.deepEqual([found.installed, found.version, found.title], [true, version, "OpenCode"]);
    assert.equal(found.credentials, "found");
    assert.doesNotMatch(JSON.stringify(found), /not-a-real-key/);
    assert.deepEqual(found.modes[0]?.id, "build");
    const modes = new Map(found.modes.map((mode) => [mode.id, mode]));
    assert.equal(modes.get("mine")?.description, "my own");
    assert.equal(modes.get("title")?.hidden, true);
    assert.deepEqual([modes.has("plan"), modes.has("helper"), modes.has("explore")], [true, false, false]);
    assert.equal(found.commands?.find(({ name }) => name === "init")?.hint, "$ARGUMENTS");

    const model = (id: string) => found.models.find((one) => one.id === id);
    const bare = model("fake/bare");
    assert.deepEqual(
      [bare?.price, bare?.context, bare?.output, bare?.released],
      [undefined, undefined, undefined, undefined],
    );
    const whole = model("fake/whole");
    assert.deepEqual(whole?.price, { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0.2 });
    assert.deepEqual([whole?.context, whole?.input, whole?.output, whole?.status], [100_000, 90_000, 8_000, "beta"]);
    assert.deepEqual(whole?.modalities, { input: ["text", "image"], output: ["text"] });
    assert.ok(whole?.options?.some(({ values }) => values?.some(({ id }) => id === "high")));
    const listed = found.models.filter(({ provider }) => provider === "Anthropic");
    assert.ok(listed.length > 3 && listed.every(({ family, released, price }) => family && released && price));
    const free = found.models.find(({ id, price }) => id.startsWith("opencode/") && price?.input === 0);
    assert.ok(free, "a model that is free has a price of 0");

    assert.deepEqual(await agent.discover(), found);
    assert.equal(starts, 1, "the second look costs nothing");
  });

  test("a project's settings count where it is trusted, and nothing of it is loaded where it is not", async (t) => {
    const place = makePlace(t, program);
    const { host, directory } = await makeHost(t);
    const agent = createOpenCodeAgent({ host, dataDirectory: directory, env: place.env, readyMs: PATIENCE_MS });
    t.after(() => agent.close?.());
    const ran = join(place.root, "ran");
    const runs = `import fs from "node:fs";\nfs.writeFileSync(${JSON.stringify(ran)}, "");\nexport default {};\n`;
    const skill = "---\nname: NAME\ndescription: d\n---\nbody\n";
    const hostile = makeProject(place, "hostile", {
      "opencode.json": {
        command: { evil: { template: "x" } },
        mcp: { evil: { type: "local", command: ["touch", ran] } },
      },
      ".opencode/plugin/evil.js": runs,
      ".opencode/tool/evil.js": runs,
      ".opencode/agent/evil.md": "---\ndescription: d\nmode: primary\n---\nx\n",
      ".opencode/skill/evil/SKILL.md": skill.replace("NAME", "evil"),
      ".claude/skills/evil-too/SKILL.md": skill.replace("NAME", "evil-too"),
      ".agents/skills/evil-three/SKILL.md": skill.replace("NAME", "evil-three"),
      "sub/README.md": "",
    });
    for (const where of [hostile, join(hostile, "sub")]) {
      const { commands = [], modes } = await agent.discover({ directory: where, trusted: false });
      assert.deepEqual(
        [...commands.map(({ name }) => name), ...modes.map(({ id }) => id)].filter((name) => name.startsWith("evil")),
        [],
      );
    }
    assert.ok(!existsSync(ran));
    const paths = (await agent.projectSettings?.(join(hostile, "sub")))?.map(({ path }) => path) ?? [];
    for (const path of ["opencode.json", ".opencode/plugin", ".claude/skills"])
      assert.ok(paths.includes(join(hostile, path)), path);

    const own = makeProject(place, "own", { "opencode.json": { command: { mine: { template: "do $1" } } } });
    const there = await agent.discover({ directory: own, trusted: true });
    assert.equal(there.commands?.find(({ name }) => name === "mine")?.hint, "$1");
    assert.ok(
      !(await agent.discover({ directory: own, trusted: false })).commands?.some(({ name }) => name === "mine"),
    );
  });

  test("the default model is the one that the program takes, and its sessions are listed by directory", async (t) => {
    const place = makePlace(t, program, { ...CONFIG, default_agent: "plan" });
    write(place.home, {
      ".local/state/opencode/model.json": { recent: [{ providerID: "fake", modelID: "bare" }] },
    });
    const { host, directory } = await makeHost(t);
    const options = { host, dataDirectory: directory, env: place.env, readyMs: PATIENCE_MS };
    const servers = createServers(options);
    const agent = createOpenCodeAgent(options);
    t.after(() => Promise.all([servers.close(), agent.close?.()]));
    const project = makeProject(place, "project", { "sub/x": "" });
    const { server } = await servers.lease({ directory: project, trusted: true, session: "s" });
    const api = new Api(server, project);
    const limit = { limitMs: PATIENCE_MS };
    const { id } = await api.fields("POST", "/session", { ...limit, body: { title: "first" } });
    const body = { noReply: true, parts: [{ type: "text", text: "hello" }] };
    const { info } = await api.fields("POST", `/session/${id}/message`, { ...limit, body });
    const { model, agent: mode } = info as { model: { providerID: string; modelID: string }; agent: string };
    const found = await agent.discover({ directory: project, trusted: true });
    assert.equal(found.defaultModel, `${model.providerID}/${model.modelID}`);
    assert.equal(found.defaultModel, "fake/bare");
    assert.deepEqual([found.modes[0]?.id, mode], ["plan", "plan"]);

    await api.fields("POST", "/session", { ...limit, body: { title: "of a sub-agent", parentID: id } });
    const { id: second } = await api.fields("POST", "/session", { ...limit, body: { title: "second" } });
    await new Api(server, join(project, "sub")).fields("POST", "/session", { ...limit, body: { title: "elsewhere" } });
    const sessions = (await agent.sessions?.({ directory: project, trusted: true })) ?? [];
    assert.deepEqual(
      sessions.map(({ id: one, title }) => [one, title]),
      [
        [second, "second"],
        [id, "first"],
      ],
    );
    assert.ok(sessions.every(({ updated = 0 }) => updated > 1_700_000_000_000));
  });

  test("a program that is not there, or cannot be asked, is told", async (t) => {
    const place = makePlace(t, program);
    const { host, directory } = await makeHost(t);
    const of = (env: Record<string, string | undefined>) =>
      createOpenCodeAgent({ host, dataDirectory: directory, env: { ...place.env, ...env }, readyMs: PATIENCE_MS });
    const missing = of({ PARLEY_OPENCODE_BIN: "/nonexistent" });
    const { installed, detail, models } = await missing.discover();
    assert.deepEqual([installed, models], [false, []]);
    assert.match(detail ?? "", /PARLEY_OPENCODE_BIN/);
    assert.equal(await missing.usable?.(), false);
    const broken = await of({ PARLEY_OPENCODE_BIN: "/bin/false" }).discover();
    assert.deepEqual([broken.installed, broken.credentials, broken.models], [true, "unknown", []]);
    assert.match(broken.detail ?? "", /does not answer/);
  });
});
