import { surroundings as claudeSurroundings } from "../../test/agents/claude/stage.ts";
import { surroundings as opencodeSurroundings } from "../../test/agents/opencode/surroundings.ts";
import { realAcpAgent } from "../../test/support/real-acp-agent.ts";
import { realAgent } from "../../test/support/real-agent.ts";
import { type Contest, openContest, type Rival } from "../acp/contest.ts";
import type { Figure, Measurement, Size } from "../harness/figure.ts";
import { familyMb } from "../harness/machine.ts";
import { type Heard, pacedAnswer, summed } from "../harness/paced.ts";
import { type Both, each, inTurns, type Side, samples, versus } from "../harness/versus.ts";

const SIZES = {
  full: { starts: 15, pairs: 4, warmUp: 4, rounds: 12, pieces: 75, periodMs: 5 },
  tiny: { starts: 1, pairs: 1, warmUp: 1, rounds: 1, pieces: 20, periodMs: 2 },
};
type Sizes = (typeof SIZES)[Size];

/** The goal at the median: not slower than the agent by itself. */
function notSlower({ native, parley }: Both<number>): Figure["goal"] {
  return { text: "not slower", met: parley <= native };
}

interface Starts {
  initialized: Both<number>;
  answered: Both<number>;
}

/** Starts of both in turns, after one of either that is not counted: each has one session with one turn. */
async function startTimes(contest: Contest, { starts }: Sizes): Promise<Starts> {
  const [initialized, answered] = [samples(), samples()];
  await inTurns(starts + 1, async (side, round) => {
    await using scope = new AsyncDisposableStack();
    const agent = await contest.start(scope, side);
    const began = performance.now() - agent.initialized;
    const turn = await contest.turn(agent, await contest.open(agent));
    if (round === 0) return;
    initialized[side].push(agent.initialized);
    answered[side].push(turn.began + turn.first - began);
  });
  return { initialized: each(initialized, 0.5), answered: each(answered, 0.5) };
}

interface Run {
  turns: Both<Heard[]>;
  memory: Both<number>;
}

/**
 * Turns of one process of either side, after some that are not counted. They are short, so that both sides alternate often:
 * the pace of a machine changes by more within seconds than the two differ by.
 */
async function pairOf(contest: Contest, { warmUp, rounds }: Sizes): Promise<Run> {
  await using scope = new AsyncDisposableStack();
  const agents = { native: await contest.start(scope, "native"), parley: await contest.start(scope, "parley") };
  const session = { native: await contest.open(agents.native), parley: await contest.open(agents.parley) };
  const turns: Both<Heard[]> = { native: [], parley: [] };
  await inTurns(warmUp + rounds, async (side, round) => {
    const heard = await contest.turn(agents[side], session[side]);
    if (round >= warmUp) turns[side].push(heard);
  });
  return { turns, memory: { native: familyMb(agents.native.pid), parley: familyMb(agents.parley.pid) } };
}

/** One process differs from the next by more than the turns of one do: hence several of either side. */
async function pairsOf(contest: Contest, sizes: Sizes): Promise<Run> {
  const runs: Run[] = [];
  while (runs.length < sizes.pairs) runs.push(await pairOf(contest, sizes));
  const turns = (side: Side) => runs.flatMap((run) => run.turns[side]);
  const memory = (side: Side) => runs.map((run) => run.memory[side]);
  return {
    turns: { native: turns("native"), parley: turns("parley") },
    memory: each({ native: memory("native"), parley: memory("parley") }, 0.5),
  };
}

async function figuresOf(rival: Rival, sizes: Sizes): Promise<Figure[]> {
  const { pieces, periodMs } = sizes;
  await using scope = new AsyncDisposableStack();
  const contest = await openContest(scope, rival, pacedAnswer(pieces, periodMs), pieces);
  const beside = versus(rival.name);
  const { initialized, answered } = await startTimes(contest, sizes);
  const { turns, memory } = await pairsOf(contest, sizes);
  const { median, p99, first } = summed(turns);
  const work = (what: string): string => `acp ${rival.agent}, ${what}`;
  return [
    beside(work("start"), initialized, "ms", notSlower(initialized)),
    beside(work("answer"), answered, "ms", notSlower(answered)),
    beside(work("first"), first, "ms", notSlower(first)),
    beside(work("p50"), median, "ms", notSlower(median)),
    beside(work("p99"), p99, "ms"),
    beside(work("memory"), memory, "MB"),
  ];
}

/** The rivals that can be had here, and why others cannot. */
async function rivals(): Promise<{ found: Rival[]; missing: string[] }> {
  const [claude, bridge, opencode] = [
    await realAgent("claude"),
    await realAcpAgent("claude-acp"),
    await realAgent("opencode"),
  ];
  const found: Rival[] = [];
  if (claude.program !== undefined && bridge.argv !== undefined) {
    const { program } = claude;
    const surroundings: Rival["surroundings"] = (home, url) => claudeSurroundings(program, home, url);
    found.push({ name: "claude-agent-acp", agent: "claude", argv: bridge.argv, surroundings });
  }
  if (opencode.program !== undefined) {
    const { program } = opencode;
    const surroundings: Rival["surroundings"] = (home, url) => opencodeSurroundings(program, home, url);
    found.push({ name: "opencode acp", agent: "opencode", argv: [program, "acp"], surroundings });
  }
  const missing = [claude, bridge, opencode].flatMap(({ skip }) => (skip === false ? [] : [skip]));
  return { found, missing };
}

function methodOf({ starts, pairs, warmUp, rounds, pieces, periodMs }: Sizes): string {
  return (
    "`parley acp` with an agent beside that agent's own program for the protocol, each started by lines on its pipe, both on one scripted model, in turns, after a start that is not " +
    `counted. Start: from the start of the process to the answer to initialize; answer: from the start, with which initialize is sent, to the first piece of an answer, with session/new and session/prompt; the median of ${starts} starts. ` +
    `Then ${pairs} processes of either side, each with ${rounds} turns of ${pieces} pieces, one every ${periodMs} ms, in one session, after ${warmUp} turns that are not counted: the first from the prompt, each from the model's write to the client, all by one clock; the median of the turns. ` +
    "Memory: VmRSS of all processes after these turns, the median; shared pages count for each process. Parley has its server in the same process."
  );
}

/** `parley acp` beside the agents' own programs for the protocol. */
export const acp: Measurement = {
  name: "acp",
  async run(size) {
    const sizes = SIZES[size];
    const { found, missing } = await rivals();
    const figures: Figure[] = [];
    for (const rival of found) figures.push(...(await figuresOf(rival, sizes)));
    const method = methodOf(sizes);
    return { figures, method, ...(missing.length > 0 ? { skipped: missing.join("; ") } : {}) };
  },
};
