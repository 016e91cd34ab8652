import fc from "fast-check";
import { turnsOf } from "../../../src/core/history/turns.ts";
import type { Violation } from "../../../src/core/ledger/laws.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { anyAction } from "./arbitraries.ts";
import { type Canonical, canonicalTurn, interleave, transcript } from "./canonical.ts";
import { type LedgerModule, World } from "./world.ts";

export interface Findings {
  turns: number;
  violations: Violation[];
}

export type AnyAction = Parameters<Parameters<typeof anyAction.map>[0]>[0];

/** Does one thing to a world. */
export function perform(world: World, action: AnyAction, count: number): void {
  switch (action.do) {
    case "signal":
      world.signal(action.signal);
      break;
    case "command":
      world.command(
        action.command.type === "fail" ? { ...action.command, turn: world.state.turn?.id ?? "" } : action.command,
      );
      break;
    case "timers":
      world.fireTimers();
      break;
    case "prompt":
      world.prompt(`p${count}`);
      break;
    case "shell": {
      const task = { type: "shell", command: "ls" } as const;
      world.command({ type: "prompt", prompt: { id: `sh${count}`, parts: [], task } });
      break;
    }
    case "compact": {
      const task = { type: "compact" } as const;
      world.command({ type: "prompt", prompt: { id: `co${count}`, parts: [], task } });
      break;
    }
    case "revert": {
      if (world.state.turn || world.state.queue.length > 0) break;
      const turns = turnsOf(world.events);
      const gone = turns.slice(count % (turns.length + 1));
      const [first] = gone;
      if (!first) break;
      const messages = gone.flatMap((turn) => turn.messages);
      const cut = { turns: gone.map(({ id }) => id), from: first.seq, messages };
      world.command({ type: "update", facts: { meta: { revert: { messageID: "msg", cut } } } });
      break;
    }
    case "context":
      world.prompt(`c${count}`, { delivery: "context" });
      break;
    case "steer":
      world.command({ type: "steer", prompt: { id: `s${count}`, parts: [] } });
      break;
    case "answer": {
      const ask = world.session?.asks[0];
      if (!ask) break;
      const answer: Answer =
        ask.kind === "permission"
          ? { kind: "permission", outcome: "always" }
          : { kind: "question", outcome: "answered", answers: [["yes"]] };
      world.command({ type: "answer", ask: ask.id, answer, by: "test" });
      const before = world.refusals.length;
      world.command({ type: "answer", ask: ask.id, answer, by: "late" });
      if (world.refusals.length === before)
        world.violations.push({ law: 7, seq: 0, message: "a second answer was taken" });
      break;
    }
    case "withdraw": {
      const [waiting] = world.state.queue;
      if (waiting) world.command({ type: "withdraw", prompt: waiting.id });
      break;
    }
  }
}

function lostPrompts(world: World): Violation[] {
  const begun = new Set(world.of("turn.started").map((event) => event.data.prompt?.id));
  const withdrawn = new Set(world.of("prompt.withdrawn").map((event) => event.data.prompt));
  const given = new Set(world.of("turn.started").flatMap((event) => event.data.context?.map(({ id }) => id) ?? []));
  const kept = new Set(world.state.queue.map((prompt) => prompt.id));
  return [...world.accepted]
    .filter((id) => !begun.has(id) && !withdrawn.has(id) && !given.has(id) && !(id.startsWith("c") && kept.has(id)))
    .map((id) => ({ law: 1, seq: 0, message: `prompt ${id} was accepted and never ran` }));
}

/** Anything in any order: interleavings, repeats, losses, deaths, cancels, late output, and a crash at some point of it. */
function chaos(ledger: LedgerModule, runs: number, seed: number): Findings {
  const findings: Findings = { turns: 0, violations: [] };
  const scenario = fc.record({ actions: fc.array(anyAction, { minLength: 5, maxLength: 80 }), crash: fc.nat() });
  for (const { actions, crash } of fc.sample(scenario, { numRuns: runs, seed })) {
    const world = new World(ledger).prompt("p");
    actions.forEach((action, index) => {
      perform(world, action, index);
    });
    world.settle();
    const restarted = world.crashAfter(crash % world.boundaries.length);
    findings.turns += world.of("turn.started").length;
    const mended = [...restarted.violations, ...restarted.settle().broken()].map((violation) => ({
      ...violation,
      law: 12,
      message: `after a crash, law ${violation.law}: ${violation.message}`,
    }));
    findings.violations.push(...world.broken(), ...lostPrompts(world), ...mended);
  }
  return findings;
}

function orderViolation(law: number, message: string): Violation {
  return { law, seq: 0, message };
}

/** A well-behaved turn told in any order that keeps each item's own words in order: the same transcript must come out. */
function anyOrder(ledger: LedgerModule, runs: number, seed: number): Findings {
  const findings: Findings = { turns: 0, violations: [] };
  const scenario = fc.record({
    turn: canonicalTurn,
    picks: fc.infiniteStream(fc.nat()),
    repeats: fc.infiniteStream(fc.boolean()),
    outrun: fc.boolean(),
  });
  for (const { turn, picks, repeats, outrun } of fc.sample(scenario, { numRuns: runs, seed })) {
    const straight = tell(ledger, turn, turn.lanes.flat(), false);
    const shuffled = tell(ledger, turn, interleave(turn.lanes, picks), outrun, repeats);
    findings.turns += 2;
    findings.violations.push(...straight.broken(), ...shuffled.broken());
    const said = straight.of("item.completed").map(({ data: { item } }) => ("text" in item ? item.text : undefined));
    for (const text of turn.said)
      if (!said.includes(text)) findings.violations.push(orderViolation(8, `lost: ${text}`));
    const wanted = transcript(straight);
    const got = transcript(shuffled);
    if (wanted !== got)
      findings.violations.push(orderViolation(8, `told in another order it became ${got}, not ${wanted}`));
  }
  return findings;
}

function tell(
  ledger: LedgerModule,
  turn: Canonical,
  signals: Canonical["lanes"][number],
  outrun: boolean,
  repeats?: fc.Stream<boolean>,
): World {
  const world = new World(ledger).prompt("p");
  const finish = { type: "turn.finished", reason: "end_turn" } as const;
  // Where the end outruns the last tool results, they come within the grace period.
  const late = outrun ? signals.filter((signal) => signal.type === "tool.done") : [];
  const early = outrun ? signals.filter((signal) => signal.type !== "tool.done") : signals;
  for (const signal of early) {
    world.signal(signal);
    if (repeats?.next().value && signal.type !== "text" && signal.type !== "tool.output" && !("inputDelta" in signal))
      world.signal(signal);
  }
  world.signal(finish);
  for (const signal of late) world.signal(signal);
  if (world.state.turn && turn.tools > 0)
    world.violations.push(orderViolation(6, "all calls are settled but the turn is still open"));
  return world.settle();
}

/** Signals after a turn's end never reopen it: those of background calls are notes, new texts begin a turn of the agent's own. */
function afterwards(ledger: LedgerModule): Findings {
  const world = new World(ledger).prompt("p");
  world
    .signal({ type: "tool.running", call: "bg", name: "bash" })
    .signal({ type: "tool.running", call: "left", name: "bash" });
  world
    .signal({ type: "tool.backgrounded", call: "bg" })
    .signal({ type: "text", item: "m", kind: "message", delta: "Hi" });
  world.signal({ type: "turn.finished", reason: "end_turn", turn: "n1" });
  const violations: Violation[] = [];
  const [grace] = world.timers;
  if (world.timers.length !== 1 || grace?.ms !== 250)
    violations.push(orderViolation(6, "expected one wait of 250 ms for all open calls"));
  world.fireTimers();
  const failed = world
    .of("item.completed")
    .filter((event) => event.data.item.kind === "tool_call" && event.data.item.status === "failed");
  if (failed.length !== 1)
    violations.push(orderViolation(6, "the call that was left open did not fail as interrupted"));
  world
    .signal({ type: "tool.output", call: "bg", delta: "still here" })
    .signal({ type: "tool.done", call: "bg", ok: true, output: "done" });
  world.signal({ type: "turn.finished", reason: "end_turn", turn: "n1" });
  if (world.of("turn.started").length !== 1)
    violations.push(orderViolation(10, "background words made the session busy"));
  if (world.of("session.note").length !== 2) violations.push(orderViolation(10, "background words were lost"));
  world.signal({ type: "text", item: "m2", kind: "message", delta: "By the way" });
  if (world.state.turn?.by !== "agent")
    violations.push(orderViolation(10, "new output opened no turn of the agent's own"));
  world.signal({ type: "turn.finished", reason: "end_turn", turn: "n1" });
  if (!world.state.turn) violations.push(orderViolation(10, "a repeated end of the old turn ended the new one"));
  world.signal({ type: "turn.finished", reason: "end_turn", turn: "n2" });
  return { turns: 2, violations: [...violations, ...world.broken()] };
}

/** Tells everything to a ledger and collects the laws it breaks. */
export function examine(ledger: LedgerModule, runs: number, seed: number): Findings {
  const parts = [afterwards(ledger), anyOrder(ledger, Math.ceil(runs / 4), seed), chaos(ledger, runs, seed)];
  return {
    turns: parts.reduce((sum, part) => sum + part.turns, 0),
    violations: parts.flatMap((part) => part.violations),
  };
}
