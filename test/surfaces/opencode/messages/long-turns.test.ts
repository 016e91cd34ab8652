import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import type { Draft } from "../../../../src/core/events/event.ts";
import type { Usage } from "../../../../src/core/events/values.ts";
import { idSource } from "../../../../src/core/ids.ts";
import type { Log, SessionHead } from "../../../../src/log/contract.ts";
import { createMemoryLog } from "../../../../src/log/memory/log.ts";
import { openSqliteLog } from "../../../../src/log/sqlite/open.ts";
import { History } from "../../../../src/surfaces/opencode/messages/history.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { temporary } from "../../../support/server.ts";
import { sessionsRig } from "../sessions-rig.ts";
import { written } from "./written.ts";

interface Turn {
  steps: number;
  callsPerStep: number;
  /** The step before which another prompt is given to the turn. */
  steeredAt?: number;
  /** The step in which the agent says what its model is. */
  modelAt?: number;
  /** The usage that a step tells. */
  usageOf?: (step: number) => Usage | undefined;
  /** That of the whole turn. */
  usage?: Usage;
  /** The call that is over only steps later. */
  slow?: { step: number; until: number };
  open?: boolean;
}

let clock = 1_000;
const id = idSource(() => clock);
const at = (draft: Omit<Draft, "time" | "source">): Draft => ({ ...draft, time: clock++, source: "agent" }) as Draft;

function said(turn: string, message: string, more: object = {}): Draft[] {
  const item = { id: message, kind: "message", role: "user", ...more } as const;
  return [
    at({ type: "item.started", turn, data: { item: { ...item, status: "running" } } }),
    at({ type: "item.completed", turn, data: { item: { ...item, status: "completed", text: "Go on." } } }),
  ];
}

/** The two halves of a call. */
function callOf(turn: string, step: number, number: number): [Draft[], Draft[]] {
  const call = { id: id("item"), kind: "tool_call", call: `${turn}-${step}-${number}`, name: "bash", step } as const;
  const result = { id: id("item"), kind: "tool_result", call: call.call, step } as const;
  const input = { command: `echo ${step}` };
  const begun = [
    at({ type: "item.started", turn, data: { item: { ...call, status: "pending" } } }),
    at({ type: "item.updated", turn, data: { item: call.id, input, status: "running" } }),
  ];
  const ended = [
    at({ type: "item.started", turn, data: { item: { ...result, status: "running" } } }),
    at({ type: "item.completed", turn, data: { item: { ...result, status: "completed", text: `${step}\n` } } }),
    at({ type: "item.completed", turn, data: { item: { ...call, status: "completed", input } } }),
  ];
  return [begun, ended];
}

function turnOf({ steps, callsPerStep, steeredAt, modelAt, usageOf, usage, slow, open }: Turn): Draft[] {
  const turn = id("turn");
  const prompt = { id: id("message") };
  const drafts = [at({ type: "turn.started", turn, data: { by: "user", prompt } }), ...said(turn, prompt.id)];
  let late: Draft[] = [];
  for (let step = 1; step <= steps; step++) {
    if (step === steeredAt) drafts.push(...said(turn, id("message"), { steered: true }));
    const one = { step, id: id("message") };
    drafts.push(at({ type: "step.started", turn, data: one }));
    if (step === modelAt) drafts.push(at({ type: "session.updated", data: { model: "learned", mode: "plan" } }));
    for (let call = 0; call < callsPerStep; call++) {
      const [begun, ended] = callOf(turn, step, call);
      drafts.push(...begun);
      if (slow?.step === step && call === 0) late = ended;
      else drafts.push(...ended);
    }
    if (slow?.until === step) drafts.push(...late);
    const told = usageOf?.(step);
    drafts.push(at({ type: "step.ended", turn, data: { ...one, finish: "tool_use", ...(told && { usage: told }) } }));
  }
  if (!open) drafts.push(at({ type: "turn.ended", turn, data: { reason: "end_turn", ...(usage && { usage }) } }));
  return drafts;
}

async function write(log: Log, turns: readonly Turn[]): Promise<SessionHead> {
  const session = id("session");
  const hold = await log.open({ id: session });
  const drafts = [
    at({ type: "session.started", data: { agent: "scripted", directory: "/project", version: 1 } }),
    ...turns.flatMap(turnOf),
  ];
  await hold.append(
    0,
    drafts.map((draft) => ({ draft })),
  );
  return (await log.head(session)) ?? assert.fail();
}

const both: Usage = { tokens: { input: 7, output: 5 }, cost: 1 };

const TURNS: Readonly<Record<string, Turn>> = {
  "steps that tell what they used": { steps: 70, callsPerStep: 2, usageOf: () => both, usage: both },
  "usage that only the turn tells": { steps: 70, callsPerStep: 1, usage: both },
  "usage that only an old step tells": {
    steps: 90,
    callsPerStep: 1,
    usageOf: (step) => (step === 3 ? { cost: 2 } : undefined),
    usage: both,
  },
  "another prompt in the middle": { steps: 80, callsPerStep: 1, steeredAt: 40, usage: both },
  "a model that is told early": { steps: 80, callsPerStep: 1, modelAt: 5 },
  "a model that is told late": { steps: 80, callsPerStep: 1, modelAt: 79 },
  "a call that is over much later": { steps: 80, callsPerStep: 2, slow: { step: 30, until: 70 } },
  "a turn that is open": { steps: 70, callsPerStep: 2, open: true },
  "one step with many calls": { steps: 1, callsPerStep: 400, usage: both },
};

/** Every page of so many messages, put together. */
async function allPages(history: History, head: SessionHead, limit: number): Promise<MessageWithParts[]> {
  const messages: MessageWithParts[] = [];
  for (let before: number | undefined; ; ) {
    const page = await history.page(head, { limit, ...(before === undefined ? {} : { before }) });
    messages.unshift(...page.messages);
    if (!page.next) return messages;
    assert.equal(page.messages.length, limit);
    before = page.next.seq;
  }
}

for (const engine of ["sqlite", "memory"] as const) {
  test(`pages of long turns are parts of the whole: ${engine}`, async (t) => {
    const log =
      engine === "memory" ? createMemoryLog() : await openSqliteLog({ directory: await temporary(t), sync: "process" });
    t.after(() => log.close());
    for (const [name, turn] of Object.entries(TURNS)) {
      const head = await write(log, [{ steps: 2, callsPerStep: 1 }, turn]);
      const history = new History(log);
      const { messages } = await history.page(head, {});
      const prompts = turn.steeredAt === undefined ? 2 : 3;
      assert.equal(messages.length, 2 + turn.steps + prompts, name);
      for (const limit of [1, 7, 50])
        assert.deepEqual(await allPages(history, head, limit), messages, `${name}: ${limit}`);
      assert.equal(await written(history, head), JSON.stringify(messages), name);
    }
  });
}

test("a long turn that was taken back is not an older page", async (t) => {
  const log = await openSqliteLog({ directory: await temporary(t), sync: "process" });
  t.after(() => log.close());
  for (const before of [[], [{ steps: 1, callsPerStep: 1 }]]) {
    const { state, last } = await write(log, [...before, { steps: 90, callsPerStep: 2 }]);
    const hold = await log.open(state.id);
    const from = (await log.turnStart(state.id, last)) ?? 0;
    const cut = at({ type: "history.cut", data: { turns: ["trn_gone"], from, messages: [] } });
    await hold.append(
      last,
      [cut, ...turnOf({ steps: 1, callsPerStep: 1 })].map((draft) => ({ draft })),
    );
    const head = (await log.head(state.id)) ?? assert.fail();
    const history = new History(log);
    const page = await history.page(head, { limit: 2 });
    assert.deepEqual([page.messages.length, page.next !== undefined], [2, before.length > 0]);
    for (const limit of [1, 2, 3])
      assert.deepEqual(await allPages(history, head, limit), (await history.page(head, {})).messages);
    assert.equal(await written(history, head), JSON.stringify((await history.page(head, {})).messages));
  }
});

test("a page of a long turn reads no more of it than its own steps", async (t) => {
  const log = await openSqliteLog({ directory: await temporary(t), sync: "process" });
  t.after(() => log.close());
  const long = { steps: 3_000, callsPerStep: 1, usageOf: () => both, usage: both };
  const head = await write(log, [long, long]);
  let read = 0;
  const counted = <Args extends unknown[], R extends unknown[]>(act: (...args: Args) => Promise<R>) => {
    return async (...args: Args): Promise<R> => {
      const records = await act(...args);
      read += records.length;
      return records;
    };
  };
  const counting = { ...log, read: counted(log.read), readBack: counted(log.readBack), told: counted(log.told) };
  const history = new History(counting);
  const page = await history.page(head, { limit: 2 });
  assert.ok(page.next && read < 1_000, `${read} of ${head.last} events were read for the newest page`);
  read = 0;
  const older = await history.page(head, { limit: 2, before: page.next.seq });
  assert.ok(older.next && read < 2_000, `${read} of ${head.last} events were read for the page before it`);
});

test("clients that leave while a list is made or written do no harm", async (t) => {
  const { client, server } = await sessionsRig(t, { "*": [{ text: "Hello." }] });
  const { state } = await write(
    server.parley.gateway.log,
    Array.from({ length: 3 }, () => ({ steps: 10, callsPerStep: 200 })),
  );
  const url = `${client.url}/session/${state.id}/message`;
  const leave = (query: string, asked: boolean): Promise<void> =>
    new Promise((resolve) => {
      const request = get(url + query, { agent: false }, (response) => response.once("data", () => request.destroy()));
      request.once("close", resolve).once("error", () => {});
      if (asked) request.once("finish", () => setImmediate(() => request.destroy()));
    });
  for (const query of ["", "?limit=20", ""]) for (const asked of [true, false]) await leave(query, asked);
  const messages = (await (await fetch(url)).json()) as unknown[];
  assert.equal(messages.length, 3 * 11);
  // Its events are not a ledger's, which the rig would hold to the laws at the end.
  assert.equal((await fetch(`${client.url}/session/${state.id}`, { method: "DELETE" })).status, 200);
});

test("a list that is being written is cut when its session is deleted meanwhile", async (t) => {
  const { client, server } = await sessionsRig(t, { "*": [{ text: "Hello." }] });
  const { log } = server.parley.gateway;
  const turn = { steps: 10, callsPerStep: 400 };
  const { state } = await write(
    log,
    Array.from({ length: 4 }, () => turn),
  );
  const url = `${client.url}/session/${state.id}/message`;
  const whole = await (await fetch(url)).text();
  assert.equal((JSON.parse(whole) as unknown[]).length, 4 * 11);
  const outcome = await new Promise<string>((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let got = 0;
      response.once("data", async (first: Buffer) => {
        got += first.length;
        response.pause();
        assert.equal((await fetch(`${client.url}/session/${state.id}`, { method: "DELETE" })).status, 200);
        response.on("data", (more: Buffer) => {
          got += more.length;
        });
        response.resume();
      });
      response.once("error", () => resolve(`cut after ${got < Buffer.byteLength(whole) ? "a part" : "all"}`));
      response.once("end", () => resolve("whole"));
    }).once("error", reject);
  });
  assert.equal(outcome, "cut after a part");
});
