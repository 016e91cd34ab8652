import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startNative } from "../support/opencode/native.ts";
import { Stage } from "../support/opencode/stage.ts";
import { startTarget } from "../support/opencode/target.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");
const GREETER = fileURLToPath(new URL("../fixtures/agents/mcp-greeter.mjs", import.meta.url));

/** A server, with a repository of its own to work on. */
interface Side {
  url: string;
  password: string;
  repository: string;
}

type Json = Record<string, unknown>;

function git(directory: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...who, ...args], { cwd: directory, encoding: "utf8" });
}

describe("worktrees and MCP servers, beside OpenCode's own server", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let sides: Side[];
  let plain: string;

  before(async () => {
    stage = await Stage.open({ prompts: { "*": [{ text: "Done." }] } });
    const { surroundings, model } = stage;
    plain = surroundings.project("plain", {});
    const [ours, theirs] = ["ours", "theirs"].map((name) => {
      const directory = surroundings.project(name, { "a.txt": "a\n" });
      git(directory, "init", "--quiet");
      git(directory, "add", "--all");
      git(directory, "commit", "--quiet", "--message", name);
      return directory;
    }) as [string, string];
    const target = await startTarget(stage, program, ours);
    const native = { program, surroundings, directory: theirs, modelUrl: model.url, password: "secret" };
    const { url } = stage.use(await startNative(native));
    sides = [
      { url: target.url, password: target.token, repository: ours },
      { url, password: "secret", repository: theirs },
    ];
  });
  after(() => stage[Symbol.asyncDispose]());

  async function call(side: Side, method: string, path: string, body?: unknown, directory = side.repository) {
    const authorization = `Basic ${Buffer.from(`opencode:${side.password}`).toString("base64")}`;
    const response = await fetch(`${side.url}${path}?directory=${encodeURIComponent(directory)}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as Json | string[] | boolean };
  }

  /** The same of both sides, ours first. */
  async function both(ask: (side: Side) => Promise<unknown>): Promise<void> {
    const [ours, theirs] = [await ask(sides[0] as Side), await ask(sides[1] as Side)];
    assert.deepEqual(ours, theirs);
  }

  /** An answer without its words. */
  const shape = ({ status, body }: Awaited<ReturnType<typeof call>>): unknown => [
    status,
    typeof body === "object" && !Array.isArray(body) ? (body.name ?? body._tag ?? Object.keys(body)) : body,
  ];

  const PATH = "/experimental/worktree";

  test("a worktree is made, listed, reset and removed as there", async () => {
    await both(async (side) => {
      const made = (await call(side, "POST", PATH, { name: "My Feature ../x" })).body as Json;
      const directory = String(made.directory);
      const list = (await call(side, "GET", PATH)).body as string[];
      const session = (await call(side, "POST", "/session", {}, directory)).body as Json;
      const reset = await call(side, "POST", `${PATH}/reset`, { directory });
      const branch = git(directory, "symbolic-ref", "HEAD");
      const removed = await call(side, "DELETE", PATH, { directory });
      const again = await call(side, "DELETE", PATH, { directory });
      return {
        made: { ...made, directory: basename(directory) },
        keys: Object.keys(made),
        list: list.map((one) => one === directory),
        session: session.directory === directory,
        ...{ reset, branch, removed, again },
        branches: git(side.repository, "branch", "--format=%(refname)"),
        left: (await call(side, "GET", PATH)).body,
      };
    });
  });

  test("wrong requests about worktrees are refused as there", async () => {
    for (const [method, path, body] of [
      ["POST", PATH, { name: 5 }],
      ["DELETE", PATH, {}],
      ["POST", `${PATH}/reset`, {}],
      ["POST", `${PATH}/reset`, { directory: "/nowhere" }],
      ["DELETE", PATH, { directory: "/nowhere" }],
    ] as const)
      await both(async (side) => shape(await call(side, method, path, body)));
    await both(async (side) => shape(await call(side, "DELETE", PATH, { directory: side.repository })));
    await both(async (side) => call(side, "POST", `${PATH}/reset`, { directory: side.repository }));
    await both((side) => call(side, "POST", PATH, {}, plain));
    await both((side) => call(side, "GET", PATH, undefined, plain));
    await both(async (side) => {
      const empty = join(plain, basename(side.repository));
      mkdirSync(empty);
      git(empty, "init", "--quiet");
      return shape(await call(side, "POST", PATH, {}, empty));
    });
  });

  test("a copy of a project is made and removed as there", async () => {
    await both(async (side) => {
      const { id } = (await call(side, "GET", "/project/current")).body as Json;
      const copy = `/experimental/project/${id}/copy`;
      const place = `${side.repository}-copies`;
      const wish = { strategy: "git_worktree", directory: place, name: "one" };
      const made = (await call(side, "POST", copy, wish)).body as Json;
      const strange = shape(await call(side, "POST", copy, { ...wish, strategy: "rsync" }));
      const gone = shape(await call(side, "DELETE", copy, { directory: join(place, "none"), force: false }));
      const main = shape(await call(side, "DELETE", copy, { directory: side.repository, force: true }));
      const removed = await call(side, "DELETE", copy, { directory: made.directory, force: true });
      const refreshed = (await call(side, "POST", `${copy}/refresh`)).status;
      const named = Object.keys((await call(side, "POST", `${copy}/generate-name`, {})).body as Json);
      return { made: made.directory === join(place, "one"), strange, gone, main, removed, refreshed, named };
    });
  });

  test("MCP servers are added, told and switched as there", async () => {
    const greeter = { type: "local", command: [process.execPath, GREETER, "/dev/null"] };
    const statuses = ({ body }: { body: unknown }): unknown =>
      Object.entries(body as Record<string, Json>).map(([name, { status, error }]) => [name, status, typeof error]);
    await both((side) => call(side, "GET", "/mcp"));
    for (const [name, config] of [
      ["greeter", greeter],
      ["none", { type: "local", command: ["/nonexistent"] }],
      ["empty", { type: "local", command: [] }],
      ["off", { ...greeter, enabled: false }],
      ["far", { type: "remote", url: "http://127.0.0.1:1/mcp" }],
    ] as const)
      await both(async (side) => statuses(await call(side, "POST", "/mcp", { name, config })));
    for (const path of [
      "/mcp/greeter/disconnect",
      "/mcp/off/connect",
      "/mcp/unknown/connect",
      "/mcp/unknown/disconnect",
    ])
      await both((side) => call(side, "POST", path));
    await both(async (side) => statuses(await call(side, "GET", "/mcp")));
    await both((side) => call(side, "GET", "/mcp", undefined, plain));
  });

  test("logins of MCP servers are refused as there", async () => {
    for (const name of ["greeter", "unknown"]) {
      await both((side) => call(side, "POST", `/mcp/${name}/auth`));
      await both((side) => call(side, "POST", `/mcp/${name}/auth/authenticate`));
      await both((side) => call(side, "DELETE", `/mcp/${name}/auth`));
    }
    await both((side) => call(side, "POST", "/mcp/unknown/auth/callback", { code: "x" }));
    await both(async (side) => shape(await call(side, "POST", "/mcp", { name: "x" })));
  });
});
