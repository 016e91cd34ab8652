import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ParleyClient } from "../../src/client/index.ts";
import type { FileChange } from "../../src/core/events/values.ts";
import type { Signal } from "../../src/core/ledger/signals.ts";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import type { Step } from "../../src/testing/sample-agent/script.ts";
import { pastSteps } from "./sample-past.ts";

const PROGRAM = fileURLToPath(new URL("../../src/testing/sample-agent.ts", import.meta.url));

/** A session for pictures and for looks at pages: the scripted agent plays it. */
export interface SampleSession {
  title: string;
  /** A directory below that of the server. */
  project: string;
  agent: string;
  prompt: string;
  steps: readonly Step[];
}

const say = (signals: Signal[]): Step[] => signals.map((signal) => ({ signal }));
const text = (item: string, words: string): Signal => ({
  type: "text.done",
  item,
  kind: "message",
  role: "assistant",
  text: words,
});
const thought = (item: string, words: string): Signal => ({ type: "text.done", item, kind: "reasoning", text: words });
const call = (id: string, name: string, input: object, output: string, files?: FileChange[]): Signal[] => [
  { type: "tool.running", call: id, name, input },
  { type: "tool.done", call: id, ok: true, output, ...(files ? { files } : {}) },
];
const end = (input: number, output: number, cost: number): Signal => ({
  type: "turn.finished",
  reason: "end_turn",
  usage: { tokens: { input, output, cacheRead: input * 9, cacheWrite: input * 2, reasoning: output / 4 }, cost },
});

const RETRY_DIFF = `@@ -12,9 +12,14 @@ export async function charge(order: Order): Promise<Receipt> {
   const attempt = await attempts.begin(order.id);
   try {
-    return await provider.charge(order.total, order.card);
+    return await provider.charge(order.total, order.card, {
+      idempotencyKey: attempt.id,
+    });
   } catch (error) {
-    if (isTimeout(error)) return charge(order);
+    if (isTimeout(error)) {
+      await attempts.wait(attempt);
+      return charge(order);
+    }
     throw error;
   }
 }
`;

const PARSER_DIFF = `@@ -41,7 +41,7 @@ function readDate(field: string): Date | undefined {
   const [day, month, year] = field.split(".").map(Number);
-  if (!day || !month || !year) return undefined;
+  if (!day || !month || !year || month > 12) return undefined;
   return new Date(Date.UTC(year, month - 1, day));
 }
`;

const TEST_OUTPUT = `\u001b[32m✔\u001b[0m reads a date of a German statement (1.2 ms)
\u001b[32m✔\u001b[0m leaves a field alone that is no date (0.3 ms)
\u001b[31m✖\u001b[0m refuses the month 13 (0.9 ms)
  expected undefined, got 2026-01-04

3 tests, \u001b[31m1 failed\u001b[0m
`;

/** Asks with a diff, and waits. */
const payments: SampleSession = {
  title: "Charge a card once although the provider is slow",
  project: "webshop",
  agent: "claude",
  prompt: "Customers are charged twice when the payment provider is slow. Find out why and repair it.",
  steps: [
    ...say([
      thought("r1", "The retry in `charge` begins a new attempt. If the first one arrives later, both count."),
      ...call("c1", "grep", { pattern: "isTimeout", path: "src" }, "src/payments/charge.ts:16\nsrc/mail/send.ts:40\n"),
      ...call(
        "c2",
        "read",
        { file_path: "src/payments/charge.ts" },
        "export async function charge(order: Order) {…}\n",
      ),
      text(
        "m1",
        "Found it. After a timeout `charge` **tries again with a new attempt**, while the first one may still arrive:\n\n1. The provider takes the money at 11 s.\n2. We gave up at 10 s and charged again.\n\nAn idempotency key makes the second call the same charge.",
      ),
      {
        type: "plan",
        entries: [
          { text: "Find where a charge is tried again", status: "completed" },
          { text: "Give each attempt an idempotency key", status: "in_progress" },
          { text: "Test a provider that answers after the timeout", status: "pending" },
        ],
      },
      {
        type: "permission",
        ask: "p1",
        action: "edit",
        patterns: ["src/payments/charge.ts"],
        input: { file_path: "src/payments/charge.ts" },
        metadata: { diff: RETRY_DIFF },
      },
    ]),
    { wait: "cancel" },
  ],
};

const release: SampleSession = {
  title: "Publish 2.4.0",
  project: "date-tools",
  agent: "codex",
  prompt: "Tag and publish 2.4.0",
  steps: [
    ...say([
      text("m1", "The tests pass and the changelog is written."),
      {
        type: "permission",
        ask: "p1",
        action: "bash",
        command: "git tag -s v2.4.0 -m 'Release 2.4.0' && git push --follow-tags && npm publish --provenance",
        patterns: ["git tag *", "git push *", "npm publish *"],
      },
    ]),
    { wait: "cancel" },
  ],
};

const question: SampleSession = {
  title: "Import statements of two more banks",
  project: "ledger",
  agent: "opencode",
  prompt: "Read statements of both new banks, too",
  steps: [
    ...say([
      {
        type: "question",
        ask: "q1",
        questions: [
          {
            header: "Duplicates",
            question: "Both banks list a transfer between them. Which of the two shall count?",
            options: [
              { label: "The one that was booked first", description: "The other is kept and marked" },
              { label: "Both", description: "Sums of one account stay right" },
            ],
            custom: true,
          },
        ],
      },
    ]),
    { wait: "cancel" },
  ],
};

const working: SampleSession = {
  title: "Move the search to its own service",
  project: "webshop",
  agent: "gemini",
  prompt: "Move the search out of the shop into a service of its own",
  steps: [
    ...say([
      text("m1", "I begin with what the search needs from the shop."),
      ...call("c1", "bash", { command: "npm run graph -- src/search" }, "src/search → src/catalog, src/prices\n"),
      {
        type: "plan",
        entries: [
          { text: "Draw the border of the search", status: "completed" },
          { text: "Give the catalogue a feed of changes", status: "completed" },
          { text: "Build the index in the new service", status: "in_progress" },
          { text: "Send a tenth of the searches there", status: "pending" },
        ],
      },
      { type: "tool.running", call: "c2", name: "bash", input: { command: "npm run index -- --all" } },
      { type: "tool.output", call: "c2", delta: "indexed 41,200 of 180,000 products\n" },
    ]),
    { wait: "cancel" },
  ],
};

const done: SampleSession = {
  title: "Refuse dates with a month 13",
  project: "ledger",
  agent: "goose",
  prompt: "A statement with the date 04.13.2025 was read as January 2026. It should be refused.",
  steps: say([
    thought("r1", "`Date.UTC` carries the month over into the next year. The reader has to look."),
    text("m1", "`Date.UTC` carries a month 13 over into the next year. I write a test for it first."),
    ...call("c1", "bash", { command: "npm test -- dates" }, TEST_OUTPUT),
    ...call("c2", "edit", { file_path: "src/statement/dates.ts", old_string: "a", new_string: "b" }, "", [
      { path: "src/statement/dates.ts", kind: "modified", diff: PARSER_DIFF, additions: 1, deletions: 1 },
    ]),
    ...call("c3", "bash", { command: "npm test" }, "\u001b[32m214 tests passed\u001b[0m in 3.1 s\n"),
    text(
      "m2",
      'Dates with a month above 12 are refused now:\n\n```ts\nreadDate("04.13.2025"); // undefined\n```\n\nThe line of the statement is listed under *not understood*, with its number, so that nothing is lost silently.',
    ),
    end(8_200, 1_900, 0.21),
  ]),
};

const failed: SampleSession = {
  title: "Translate the shop into Polish",
  project: "webshop",
  agent: "qwen",
  prompt: "Translate all texts of the shop into Polish",
  steps: say([
    text("m1", "There are 1,140 texts. I begin with those of the basket."),
    {
      type: "turn.finished",
      reason: "error",
      error: { code: "rate_limited", message: "The model's limit is reached until 14:00", retryable: true },
    },
  ]),
};

export const SAMPLES: readonly SampleSession[] = [payments, question, release, working, done, failed];

/** Writes the script of each session into a directory, and resolves with the agents that play them. */
export async function sampleAgents(directory: string): Promise<Record<string, ConfiguredAgent>> {
  const agents = await Promise.all(
    SAMPLES.map(async ({ agent, steps }): Promise<[string, ConfiguredAgent]> => {
      const path = join(directory, `${agent}.json`);
      await writeFile(path, JSON.stringify({ "*": steps, past: pastSteps(agent) }));
      return [agent, { command: [process.execPath, PROGRAM, "--script", path] }];
    }),
  );
  return Object.fromEntries(agents);
}

/** The events at which a session has done what it does, or almost. */
const PLAYED: readonly string[] = ["permission.requested", "question.requested", "plan.updated", "turn.ended"];

/** Begins all sessions, one after the other, each in its project below a directory, and resolves with their ids. */
export async function beginSamples(client: ParleyClient, directory: string): Promise<string[]> {
  const ids: string[] = [];
  for (const { title, project, agent, prompt } of SAMPLES) {
    const path = join(directory, project);
    await mkdir(path, { recursive: true });
    const session = await client.sessions.create({ title, agent, directory: path });
    const handle = client.session(session);
    await handle.prompt({ text: prompt, attended: true });
    for await (const { type } of handle.events({ after: 0 })) if (PLAYED.includes(type)) break;
    ids.push(session.id);
  }
  return ids;
}
