import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PlanEntry } from "../../../../src/core/events/values.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";
import { EDITED, Story } from "./story.ts";

interface Told {
  type: string;
  properties: Record<string, unknown>;
}

interface PartRow {
  id: string;
  messageID: string;
  sessionID: string;
  type: string;
  tool?: string;
  reason?: string;
  state?: { status: string };
}

interface InfoRow {
  id: string;
  role: string;
  sessionID: string;
  parentID?: string;
  finish?: string;
  error?: { name: string };
}

function recording(name: string): Told[] {
  const text = readFileSync(new URL(`../../../golden/opencode/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Told);
}

/** The parts of each message with all that they went through, how the message ended, and whom it answers. */
function outline(told: readonly Told[], session: string): string[] {
  const infos = new Map<string, InfoRow>();
  const parts = new Map<string, { row: PartRow; went: string[] }>();
  for (const { type, properties } of told) {
    if (type === "message.updated") {
      const info = properties.info as InfoRow;
      if (info.sessionID === session) infos.set(info.id, info);
    } else if (type === "message.part.updated") {
      const row = properties.part as PartRow;
      const went = parts.get(row.id)?.went ?? [];
      const now = row.state?.status ?? row.reason;
      if (now !== undefined && went.at(-1) !== now) went.push(now);
      parts.set(row.id, { row, went });
    } else if (type === "message.part.removed") parts.delete(properties.partID as string);
  }
  const order = [...infos.keys()];
  return [...infos.values()].map(({ id, role, parentID, finish, error }) => {
    const rows = [...parts.values()].filter(({ row }) => row.messageID === id);
    rows.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
    const shown = rows.map(({ row, went }) => [row.tool ?? row.type, ...went].join(":"));
    const answers = parentID === undefined ? "" : ` to ${order.indexOf(parentID)}`;
    return `${role}${answers} [${shown.join(" ")}] ${finish ?? ""} ${error?.name ?? ""}`.trimEnd();
  });
}

const COUNTED = [
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
  "todo.updated",
  "file.edited",
  "session.error",
];

function counts(told: readonly Told[]): Record<string, number> {
  return Object.fromEntries(COUNTED.map((type) => [type, told.filter((event) => event.type === type).length]));
}

const bash = { command: "echo hello-from-bash" };

function plan(first: PlanEntry["status"], second: PlanEntry["status"]): Signal {
  const entries: PlanEntry[] = [
    { text: "First thing", status: first, priority: "high" },
    { text: "Second thing", status: second, priority: "low" },
  ];
  return { type: "plan", entries };
}

function apiError(status: number) {
  const error = { code: status === 401 ? "model_auth" : "model_failed", message: "no", details: { status } };
  return { type: "turn.finished", reason: "error", error } as const;
}

const retrying = (attempt: number) =>
  ({ type: "status", status: "retrying", attempt, message: "fake internal error", next: 1 }) as const;

/** The signals of the agent in each recording. */
const STORIES: Record<string, (story: Story) => void> = {
  a_seed(story) {
    story.prompt().step().say("I'll read the README first.").run("c1", "read").done("c1").endStep("tool-calls");
    story
      .step()
      .say("Now I'll add a line.")
      .run("c2", "edit")
      .done("c2", { files: [EDITED] })
      .endStep("tool-calls");
    story.step().say("Done!").endStep("stop").end();
  },
  b_text: (story) => story.prompt().step().say("Hello there.").endStep("stop").end(),
  c_reason: (story) => story.prompt().step().say("Think.", "reasoning").say("Answer.").endStep("stop").end(),
  d_perm_once(story) {
    story.prompt().step().say("Editing.").see("c", "edit").ask("c", "edit", "README.md");
    story
      .answer({ kind: "permission", outcome: "once" })
      .done("c", { files: [EDITED] })
      .endStep("tool-calls");
    story.step().say("Edit finished.").endStep("stop").end();
  },
  d_perm_always(story) {
    story.prompt().step().see("c1", "bash").ask("c1", "bash", "echo *");
    story.answer({ kind: "permission", outcome: "always" }).done("c1").endStep("tool-calls");
    story.step().run("c2", "bash", bash).done("c2").endStep("tool-calls");
    story.step().say("Both finished.").endStep("stop").end();
  },
  d_perm_reject(story) {
    story.prompt().step().see("c", "bash").ask("c", "bash", "echo *").answer({ kind: "permission", outcome: "reject" });
    story.fail("c", "The user rejected permission").endStep("tool-calls").end();
  },
  d_perm_reject_msg(story) {
    story.prompt().step().see("c", "bash").ask("c", "bash", "echo *");
    story.answer({ kind: "permission", outcome: "reject", feedback: "use another way" });
    story
      .fail("c", "rejected: use another way")
      .endStep("tool-calls")
      .step()
      .say("Bash finished.")
      .endStep("stop")
      .end();
  },
  d_perm_abort: (story) => story.prompt().step().see("c", "bash").ask("c", "bash", "echo *").cancel().end("cancelled"),
  e_question_reply(story) {
    story.prompt().step().say("I need to ask.").see("c", "question").question("c");
    story
      .answer({ kind: "question", outcome: "answered", answers: [["Blue"]] })
      .done("c")
      .endStep("tool-calls");
    story.step().say("Thanks for the answer.").endStep("stop").end();
  },
  e_question_reject(story) {
    story.prompt().step().say("I need to ask.").see("c", "question").question("c");
    story.answer({ kind: "question", outcome: "rejected" }).fail("c", "dismissed").endStep("tool-calls").end();
  },
  f_abort_stream(story) {
    story.prompt().step().world.signal({ type: "text", item: "m", kind: "message", delta: "one two " });
    story.cancel().end("cancelled");
  },
  f_abort_tool(story) {
    story.prompt().step().say("Running a slow tool.").run("c", "bash", bash).cancel();
    story.done("c", { output: "tick 1" }).end("cancelled");
  },
  g_retry_500(story) {
    story.prompt().step().world.signal(retrying(1)).signal({ type: "status", status: "running" }).signal(retrying(2));
    story.say("Recovered after 500.").endStep("stop").end();
  },
  g_retry_429(story) {
    story.prompt().step().world.signal(retrying(1));
    story.say("Recovered after 429.").endStep("stop").end();
  },
  g_fatal_400: (story) => story.prompt().step().world.signal(apiError(400)),
  g_fatal_401: (story) => story.prompt().step().world.signal(apiError(401)),
  g_badmodel(story) {
    const error = { code: "agent_failed", message: "Model not found: fake/nope." };
    story.prompt().world.signal({ type: "turn.finished", reason: "error", error });
  },
  h_parallel(story) {
    story.prompt().step().say("Two at once.").run("c1", "read").run("c2", "bash", bash).done("c1").done("c2");
    story.endStep("tool-calls").step().say("Both done.").endStep("stop").end();
  },
  h_badtool(story) {
    story.prompt().step().run("c", "invalid").done("c").endStep("tool-calls");
    story.step().say("That tool does not exist.").endStep("stop").end();
  },
  i_shell(story) {
    const text = { type: "text" as const, text: "The following tool was executed by the user", synthetic: true };
    const task = { type: "shell" as const, command: "ls" };
    story.world.command({ type: "prompt", prompt: { id: "msg_1", parts: [text], task } });
    story.world.signal({ type: "tool.running", call: "c", name: "bash", input: { command: "ls" } });
    story.done("c").end();
  },
  j_task(story) {
    story
      .prompt()
      .step()
      .say("Delegating.")
      .run("c", "task")
      .world.signal({ type: "tool.seen", call: "c", child: "ses_c" });
    story.done("c").endStep("tool-calls").step().say("Child reported.").endStep("stop").end();
  },
  k_todo(story) {
    story.prompt().step().see("c1", "todo").world.signal(plan("in_progress", "pending"));
    story.run("c1", "todo").done("c1").endStep("tool-calls").step().see("c2", "todo");
    story.world.signal(plan("completed", "in_progress"));
    story.run("c2", "todo").done("c2").endStep("tool-calls").step().say("Todos updated.").endStep("stop").end();
  },
  l_second_busy(story) {
    story.prompt().step().prompt("msg_00000000000000000000000002").say("one two three").endStep("stop").end();
    story.step().say("Answer to the second prompt.").endStep("stop").end();
  },
};

/** Events that a native server sends more than once, or not at all, and Parley once. */
/** Here a prompt that could not even be begun has an answer, which says why. */
const MORE: Record<string, string[]> = { g_badmodel: ["assistant to 0 []  UnknownError"] };

const COUNTS: Record<string, Record<string, number>> = {
  d_perm_abort: { "permission.replied": 1 },
  g_badmodel: { "session.error": 1 },
};

for (const [name, tell] of Object.entries(STORIES)) {
  test(`${name}: the same messages, parts and states as native OpenCode`, () => {
    const native = recording(name);
    const created = native.find(({ type }) => type === "session.created");
    const root = created?.properties.sessionID as string;
    const story = new Story();
    tell(story);
    assert.deepEqual(story.world.broken(), []);
    const ours = story.said() as Told[];
    // Here every call is pending first, also one that the user made.
    const expected = outline(native, root).map((row) => row.replace("[bash:running", "[bash:pending:running"));
    assert.deepEqual(outline(ours, "ses_test"), [...expected, ...(MORE[name] ?? [])]);
    const mine = native.filter(({ properties }) => (properties.sessionID ?? root) === root);
    assert.deepEqual(counts(ours), { ...counts(mine), ...COUNTS[name] });
  });
}

test("j_task: a sub-agent's session has the same messages, parts and states, too", () => {
  const native = recording("j_task");
  const child = native.find(({ type, properties }) => type === "session.created" && "parentID" in properties);
  const story = new Story();
  story.world.signal({ type: "turn.begun" });
  story.world.signal({ type: "text.done", item: "task", role: "user", text: "Look at the README and report" });
  story.step().say("Child reading.").run("c", "read").done("c").endStep("tool-calls");
  story.step().say("Child result: README seen.").endStep("stop").end();
  const ours = outline(story.said() as Told[], "ses_test");
  assert.deepEqual(ours, outline(native, child?.properties.sessionID as string));
});
