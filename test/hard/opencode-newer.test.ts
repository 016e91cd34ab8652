import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { nativeConfig, startNative } from "../support/opencode/native.ts";
import { NEWER_DIFFERENCES } from "../support/opencode/newer-differences.ts";
import { newerFacts } from "../support/opencode/newer-facts.ts";
import {
  type Act,
  answer,
  create,
  interrupt,
  record,
  reply,
  type Server,
  say,
} from "../support/opencode/newer-turns.ts";
import { FILES, SCRIPT } from "../support/opencode/script.ts";
import { type SdkV2, sdkV2 } from "../support/opencode/sdk.ts";
import { Stage } from "../support/opencode/stage.ts";
import { startTarget } from "../support/opencode/target.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const SCENARIOS: Readonly<Record<string, { prompt: string; act?: Act }>> = {
  "a text": { prompt: "hello" },
  "thoughts before the answer": { prompt: "[[think]] go" },
  "a command, allowed": { prompt: "[[command]] go", act: reply("once") },
  "a command, refused": { prompt: "[[command]] go", act: reply("reject") },
  "a file read and changed": { prompt: "[[edit]] go", act: reply("once") },
  "a question": { prompt: "[[question]] go", act: answer },
  "an interruption": { prompt: "[[abort]] go", act: interrupt },
  "an error that will not pass": { prompt: "[[broken]] go" },
};

/** The cursors that a page has: native has empty ones, too, against its own description. */
function wordsIn(cursor: object): string[] {
  return Object.entries(cursor).flatMap(([name, value]) => (value === null ? [] : [name]));
}

/** The kinds of messages on pages of two, as a client reads them forwards and backwards. */
async function paged(server: Server): Promise<unknown> {
  const { session } = server.sdk.v2;
  const sessionID = await create(server);
  for (const text of ["one", "two", "three"]) await say(server, sessionID, text);
  const page = async (query: { order?: "asc" | "desc"; cursor?: string; limit?: number }) => {
    const { data } = await session.messages({ sessionID, ...query });
    return { ids: data?.data.map(({ id }) => id) ?? [], cursor: data?.cursor ?? {} };
  };
  const all = (await page({})).ids;
  const places = (ids: readonly string[]): number[] => ids.map((id) => all.indexOf(id));
  const seen: unknown[] = [all.length, places((await page({ order: "asc" })).ids)];
  for (const order of ["asc", "desc"] as const) {
    const first = await page({ order, limit: 2 });
    const second = await page({ limit: 2, cursor: first.cursor.next ?? "" });
    const third = await page({ limit: 3, cursor: second.cursor.next ?? "" });
    const end = await page({ limit: 2, cursor: third.cursor.next ?? "" });
    const back = await page({ limit: 2, cursor: third.cursor.previous ?? "" });
    seen.push([first, second, third, end, back].map(({ ids, cursor }) => [places(ids), wordsIn(cursor)]));
  }
  return seen;
}

interface Reverted {
  staged: unknown[];
  events: string[];
  left: string[];
}

async function reverted(server: Server): Promise<Reverted> {
  const { sdk, directory } = server;
  const { session } = sdk.v2;
  const sessionID = await create(server);
  writeFileSync(join(directory, "README.md"), "# Project\n\nLast line.\n");
  await say(server, sessionID, "[[edit]] go", reply("once"));
  await say(server, sessionID, "hello");
  const { data: list } = await session.messages({ sessionID, order: "asc" });
  const [first = "", second = ""] = (list?.data ?? []).filter(({ type }) => type === "user").map(({ id }) => id);
  const lines = (): number => readFileSync(join(directory, "README.md"), "utf8").trim().split("\n").length;
  const stage = async (messageID: string, files?: boolean): Promise<unknown> => {
    const { data } = await session.revert.stage({ sessionID, messageID, ...(files === undefined ? {} : { files }) });
    const { files: changed = [], diff } = data?.data ?? {};
    const shown = (await session.get({ sessionID })).data?.data.revert;
    const facts = changed.map(({ patch, ...rest }) => ({ ...rest, undoes: patch.includes("\n-Added line.") }));
    return [facts, diff === "" || diff?.includes("\n-Added line."), shown?.messageID === messageID, lines()];
  };
  const staged = [await stage(second), await stage(first, false), await stage(first)];
  await session.revert.clear({ sessionID });
  staged.push([(await session.get({ sessionID })).data?.data.revert, lines()]);
  staged.push(await stage(first));
  await session.revert.commit({ sessionID });
  staged.push([(await session.get({ sessionID })).data?.data.revert, lines()]);
  const { data: left } = await session.messages({ sessionID });
  const { data: history } = await session.history({ sessionID, limit: 100 });
  const events = (history?.data ?? []).map(({ type }) => type as string).filter((type) => type.includes("revert"));
  return { staged, events, left: (left?.data ?? []).map(({ type }) => type) };
}

const WRONG: readonly [method: "GET" | "POST", path: string, body?: object][] = [
  ["GET", "/api/session/ses_nothing/message"],
  ["GET", "/api/session/ses_nothing/history"],
  ["GET", "/api/session/ses_nothing/context"],
  ["GET", "/api/session/ses_nothing/event"],
  ["GET", "/api/session/SESSION/message?limit=0"],
  ["GET", "/api/session/SESSION/message?limit=201"],
  ["GET", "/api/session/SESSION/message?limit=x"],
  ["GET", "/api/session/SESSION/message?order=up"],
  ["GET", "/api/session/SESSION/message?cursor=abc"],
  ["GET", "/api/session/SESSION/message?cursor=abc&order=asc"],
  ["GET", "/api/session/SESSION/message/msg_nothing"],
  ["GET", "/api/session/SESSION/history?limit=101"],
  ["GET", "/api/session/SESSION/history?after=-1"],
  ["GET", "/api/session/SESSION/event?after=x"],
  ["POST", "/api/session/SESSION/revert/stage", {}],
  ["POST", "/api/session/SESSION/revert/stage", { messageID: "msg_nothing" }],
  ["POST", "/api/session/ses_nothing/revert/stage", { messageID: "msg_nothing" }],
  ["POST", "/api/session/ses_nothing/revert/clear"],
  ["POST", "/api/session/ses_nothing/revert/commit"],
  ["POST", "/api/session/ses_nothing/compact"],
];

/** A request that the SDK's own types would not allow. */
async function raw(sdk: SdkV2, method: "GET" | "POST", url: string, body?: object): Promise<Raw> {
  const { client } = sdk as unknown as { client: { request(options: object): Promise<Raw> } };
  const headers = { "content-type": "application/json" };
  return client.request({ method, url, throwOnError: false, ...(body ? { body, headers } : {}) });
}

interface Raw {
  response: Response;
  error: unknown;
}

describe("the newer half of the API, on OpenCode's own server and on Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let native: Server;
  let parley: Server;
  const used = new Set<object>();

  function assertSame(there: ReadonlySet<string>, here: ReadonlySet<string>): void {
    const differences = [
      ...[...there].filter((fact) => !here.has(fact)).map((fact) => `native only: ${fact}`),
      ...[...here].filter((fact) => !there.has(fact)).map((fact) => `Parley only: ${fact}`),
    ];
    const unknown = differences.filter((difference) => {
      const known = NEWER_DIFFERENCES.find(({ fits }) => fits.test(difference));
      if (known) used.add(known);
      return known === undefined;
    });
    assert.deepEqual(unknown, []);
  }

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    // This half of native reads its configuration from files only.
    const config = { ...nativeConfig(model.url), permission: { edit: "ask", bash: "ask" } };
    const directories = {
      native: surroundings.repository("native", { ...FILES, "opencode.json": JSON.stringify(config) }),
      parley: surroundings.repository("parley", FILES),
    };
    const [there, here] = await Promise.all([
      startNative({ program, surroundings, directory: directories.native, modelUrl: model.url }),
      startTarget(stage, program, directories.parley),
    ]);
    stage.use(there);
    native = { sdk: sdkV2({ url: there.url, directory: directories.native }), directory: directories.native };
    const target = { url: here.url, directory: directories.parley, token: here.token };
    parley = { sdk: sdkV2(target), directory: directories.parley };
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const [name, { prompt, act }] of Object.entries(SCENARIOS)) {
    test(name, async () => {
      assertSame(newerFacts(await record(native, prompt, act)), newerFacts(await record(parley, prompt, act)));
    });
  }

  test("pages of messages in both orders and directions", async () => {
    const seen = await Promise.all([native, parley].map(paged));
    assert.deepEqual(seen[1], seen[0]);
  });

  test("a revert is staged with its files, cleared, staged again and made final", async () => {
    const [there, here] = await Promise.all([native, parley].map(reverted));
    assert.deepEqual(there?.left, ["user"], "native keeps the prompt itself");
    assert.deepEqual(here?.left, [], "docs/opencode.md: whole turns are taken back");
    assert.deepEqual({ ...here, left: [] }, { ...there, left: [] });
  });

  test("bad requests are refused with the same status and the same kind of error", async () => {
    const sessions = [await create(native), await create(parley)] as const;
    for (const [method, path, body] of WRONG) {
      const answers = await Promise.all(
        [native, parley].map(async ({ sdk }, index) => {
          const url = path.replace("SESSION", sessions[index] ?? "");
          const { response, error } = await raw(sdk, method, url, body);
          return `${response.status} ${(error as { _tag?: string })?._tag}`;
        }),
      );
      assert.equal(answers[1], answers[0], `${method} ${path}`);
    }
  });

  test("no difference is listed that is none", () => {
    assert.deepEqual(
      NEWER_DIFFERENCES.filter((one) => !used.has(one)).map(({ told }) => told),
      [],
    );
  });
});

test("every difference of the newer half is told in docs/opencode.md", () => {
  const page = readFileSync(new URL("../../docs/opencode.md", import.meta.url), "utf8").replace(/\s+/g, " ");
  const untold = NEWER_DIFFERENCES.filter(({ told }) => !page.includes(told));
  assert.deepEqual(untold, []);
});
