import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import * as line from "./lines.ts";
import { ends, read, type Step, signals, wrote } from "./reading.ts";

const said = (...steps: Step[]): string[] =>
  read(...steps).said.map(({ signal, child }) => `${child?.id ?? "root"} ${signal.type}`);
const of = (id: string, ...steps: Step[]): string[] => said(...steps).filter((one) => one.startsWith(`${id} `));

describe("the life of a user line", () => {
  test("none of its lines is noise", () => {
    const { state } = read();
    for (const value of ["queued", "started", "completed", "cancelled", "of a newer version"])
      assert.equal(decodeLine(state, JSON.stringify(line.lifecycle("p", value)), 0).noise, undefined);
  });

  test("a line that is begun no longer holds the end of the turn", () => {
    const running = [line.state("running"), wrote("p")];
    assert.deepEqual(ends(...running, line.lifecycle("p", "queued"), line.init(), line.result()), []);
    assert.deepEqual(ends(...running, line.lifecycle("p", "started"), line.init(), line.result()), ["end_turn"]);
  });

  test("a prompt that is dropped before its turn ends the turn once", () => {
    for (const [value, reason] of [
      ["cancelled", "cancelled"],
      ["discarded", "error"],
      ["refused", "error"],
    ] as const) {
      const dropped = line.lifecycle("p", value);
      assert.deepEqual(ends(wrote("p"), line.lifecycle("p", "queued"), dropped), [reason]);
      const { uuid: _, ...again } = dropped;
      assert.deepEqual(ends(wrote("p"), dropped, again), [reason], "told twice");
    }
  });

  test("a prompt that had its turn, and one of somebody else, end nothing by it", () => {
    const turn = [wrote("p"), line.lifecycle("p", "started"), line.init(), line.result()];
    assert.deepEqual(ends(...turn, line.lifecycle("p", "cancelled")), ["end_turn"]);
    assert.deepEqual(ends(wrote("p"), line.lifecycle("other", "cancelled")), []);
    const steered = [wrote("p"), line.lifecycle("p", "started"), line.init(), wrote("s")];
    assert.deepEqual(ends(...steered, line.lifecycle("s", "discarded"), line.result()), ["end_turn"]);
  });
});

describe("a conversation that is cleared", () => {
  const used = (total_cost_usd: number, inputTokens: number): line.Line =>
    line.result({ total_cost_usd, modelUsage: { m: { inputTokens, outputTokens: inputTokens } } });

  test("is noted, and its usage is counted from zero again", () => {
    const reset = { type: "conversation_reset", new_conversation_id: "c2", trigger: "clear" };
    const steps = [line.init(), used(0.5, 100), line.init(), reset, used(0, 0), line.init(), used(0.25, 50)];
    const told = signals(...steps);
    const usage = told.flatMap((signal) => (signal.type === "turn.finished" ? [signal.usage] : []));
    assert.deepEqual(
      usage.map((one) => [one?.cost, one?.tokens?.input]),
      [
        [0.5, 100],
        [0, 0],
        [0.25, 50],
      ],
    );
    assert.ok(told.some((signal) => signal.type === "note" && signal.code === "cleared"));
  });

  test("a record that the program could not save is a warning", () => {
    const [note] = signals(line.system("session_writes_lost", { error_code: "ENOSPC", lost: ["transcript"] }));
    assert.ok(note?.type === "note" && note.level === "warn" && note.text.includes("ENOSPC"));
  });
});

const child = { parent_tool_use_id: "c1" };
const inBackground = line.started("a1", "c1", { is_backgrounded: true });

describe("sub-agents in the background", () => {
  test("go on after the turn of the session's own agent, by the first word about them", () => {
    assert.deepEqual(of("a1", line.init(), inBackground, line.result()), ["a1 turn.begun"]);
    assert.deepEqual(of("a1", line.init(), line.started("a1", "c1"), line.result()), [
      "a1 turn.begun",
      "a1 turn.finished",
    ]);
  });

  test("take along the ones that they wait for", () => {
    const lower = line.started("a2", "c2", { parent_task_id: "a1" });
    assert.deepEqual(of("a2", line.init(), inBackground, lower, line.result()), ["a2 turn.begun"]);
  });

  test("end when they are no longer among the tasks, though no line said so, and only once", () => {
    const running = [line.init(), inBackground, line.background("a1"), line.result()];
    assert.deepEqual(of("a1", ...running, line.background()), ["a1 turn.begun", "a1 turn.finished"]);
    const told = said(...running, line.notified("a1", "completed", "Done."), line.background());
    assert.deepEqual(
      told.filter((one) => one.endsWith("finished") || one.endsWith("done")),
      ["root turn.finished", "a1 turn.finished", "root tool.done"],
    );
  });

  test("that are asked to go on keep their session, though their lines name the first call", () => {
    const again = line.started("a1", "c9", { is_backgrounded: true });
    const words = line.assistant("m9", line.text("On it."), { ...child, agent_id: "a1" });
    const told = said(
      line.init(),
      inBackground,
      line.notified("a1", "completed"),
      again,
      words,
      line.toolResult("c9", "ok"),
    );
    assert.deepEqual(
      told.filter((one) => one.startsWith("c")),
      [],
      "no other sub-agent is made up",
    );
    assert.deepEqual(told.slice(-4), ["root tool.seen", "a1 step.begun", "a1 text.done", "root tool.done"]);
  });

  test("work for the one that started them", () => {
    const { said: told } = read(line.init(), inBackground, line.started("a2", "c2", { parent_task_id: "a1" }));
    const begun = told.find(({ signal, child: who }) => signal.type === "turn.begun" && who?.id === "a2");
    assert.equal(begun?.child?.parent, "a1");
    const seen = told.find(({ signal }) => signal.type === "tool.seen" && signal.call === "c2");
    assert.equal(seen?.child?.id, "a1", "its call is the other sub-agent's");
  });
});

describe("an ask of a sub-agent", () => {
  const ask = line.ask("q", "Bash", { command: "touch x" }, { agent_id: "a1", tool_use_id: "c5" });
  const call = line.assistant("m5", line.toolUse("c5", "Bash", { command: "touch x" }), child);
  const first = [line.init(), line.started("a1", "c1")];

  test("comes after its call, though the program asks first", () => {
    const told = of("a1", ...first, ask, call);
    assert.deepEqual(told, ["a1 turn.begun", "a1 step.begun", "a1 tool.running", "a1 permission", "a1 tool.running"]);
  });

  test("belongs to the message whose words came before it, and to the next one after a result", () => {
    const words = line.assistant("m5", line.text("I touch."), child);
    const steps = (...more: Step[]): number =>
      of("a1", ...first, ...more).filter((one) => one === "a1 step.begun").length;
    assert.equal(steps(words, ask, call), 1);
    const earlier = line.assistant("m4", line.toolUse("c4", "Read", {}), child);
    const answer = { ...line.toolResult("c4", "read"), ...child };
    assert.equal(steps(earlier, answer, ask, call), 2);
  });
});

test("a plan that the program leaves out of its ask is the one of the call", () => {
  const call = line.assistant("m1", line.toolUse("call-q", "ExitPlanMode", { plan: "1. Edit" }));
  const asked = signals(line.init(), call, line.ask("q", "ExitPlanMode", {})).find(({ type }) => type === "question");
  assert.ok(asked?.type === "question" && asked.questions[0]?.question === "1. Edit");
});

test("an answer that the program gives up is retracted, as far as it was not whole", () => {
  const stop = { ...line.event({ type: "message_stop" }), abandoned_blocks: { from_block_index: 1 } };
  const first = [line.messageStart("m1"), line.blockStart(0, line.text("")), line.textDelta(0, "Whole.")];
  const second = [line.blockStart(1, line.text("")), line.textDelta(1, "Ha"), line.blockStop(1), stop];
  const told = signals(line.init(), ...first, line.assistant("m1", line.text("Whole.")), line.blockStop(0), ...second);
  assert.deepEqual(
    told.flatMap((signal) => ("item" in signal && signal.type !== "text" ? [[signal.type, signal.item]] : [])),
    [
      ["text.done", "m1:0"],
      ["text.retracted", "m1:1"],
    ],
  );
});
