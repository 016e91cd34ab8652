import { spawn } from "node:child_process";
import type { Agent, AgentSession, OpenOptions } from "../../../src/agents/contract.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { PATIENCE_MS } from "../../support/time.ts";
import type { Check } from "./suite.ts";
import type { ContractRig } from "./watched.ts";

export interface Misbehaviour {
  does: string;
  /** The check that must notice it, and the words with which it does. */
  check: Check;
  noticed: RegExp;
  spoil(rig: ContractRig): ContractRig;
}

type Emit = OpenOptions["emit"];
type Spoiler = (session: AgentSession, emit: Emit, open: OpenOptions) => Partial<AgentSession>;

const WORD: Signal = { type: "text", item: "late", kind: "message", role: "assistant", delta: "late " };
const EXIT: Signal = { type: "exited", code: 0, signal: null, stderr: [] };
const never = (): Promise<never> => new Promise(() => {});

function spoilAgent(agent: Agent, change: Spoiler, hear?: (emit: Emit) => Emit): Agent {
  const open = (options: OpenOptions): AgentSession => {
    const session = agent.open(hear ? { ...options, emit: hear(options.emit) } : options);
    return { ...session, ...change(session, options.emit, options) };
  };
  return { ...agent, open };
}

/** The agent of the rig with some of its calls done badly. */
const calls = (change: Spoiler) => (rig: ContractRig) => ({ ...rig, agent: spoilAgent(rig.agent, change) });
/** The agent of the rig with its signals passed on badly. */
const signals = (hear: (emit: Emit) => Emit) => (rig: ContractRig) => ({
  ...rig,
  agent: spoilAgent(rig.agent, () => ({}), hear),
});
/** An agent that does not begin as it should. */
const starts = (which: "unstartable" | "silent" | "forgetful", ready: () => Promise<void>) => (rig: ContractRig) => ({
  ...rig,
  [which]: spoilAgent(rig[which] ?? rig.agent, () => ({ ready })),
});
const withoutExit =
  (emit: Emit): Emit =>
  (signal, ...rest) => {
    if (signal.type !== "exited") emit(signal, ...rest);
  };
/** The rig with little patience for a wait that never ends with this misbehaviour. A busy machine may take its time for all others. */
const hasty = (what: RegExp, rig: ContractRig): ContractRig => ({
  ...rig,
  patienceMs: (asked) => (what.test(asked) ? 250 : PATIENCE_MS),
});

const SEVERAL: Misbehaviour[] = [
  {
    does: "holds back all sessions while one is paused",
    check: "a pause of one session leaves the other be, and the last one leaves no process",
    noticed: /the end of the turn "count 20" took more than/,
    spoil: (rig) => {
      const all: AgentSession[] = [];
      const agent = spoilAgent(rig.agent, (session) => {
        all.push(session);
        return { pause: () => all.forEach((one) => void one.pause()) };
      });
      return hasty(/^the end of the turn "count 20"$/, { ...rig, agent });
    },
  },
];

const STARTING: Misbehaviour[] = [
  {
    does: "says that it is not installed",
    check: "discovery says that the agent is installed, and names each mode once",
    noticed: /expected the agent of the rig to be installed/,
    spoil: (rig) => ({
      ...rig,
      agent: { ...rig.agent, discover: async () => ({ ...(await rig.agent.discover()), installed: false }) },
    }),
  },
  {
    does: "resolves ready of a program that cannot be started",
    check: "ready rejects with SpawnFailed when the program cannot be started",
    noticed: /expected SpawnFailed .* got ready resolved/,
    spoil: starts("unstartable", async () => {}),
  },
  {
    does: "never settles ready of a silent program",
    check: "ready rejects with SpawnFailed in time when the program never answers",
    noticed: /ready of a start that fails took more than/,
    spoil: (rig) => hasty(/^ready of a start that fails$/, starts("silent", never)(rig)),
  },
  {
    does: "rejects a lost resume with an error of its own",
    check: "ready rejects with ResumeLost when the agent has forgotten the session",
    noticed: /expected ResumeLost, got Error: forgotten/,
    spoil: starts("forgetful", () => Promise.reject(new Error("forgotten"))),
  },
  {
    does: "is not closed before it is ready",
    check: "a close before ready ends the start",
    noticed: /expected one exited when close came before ready/,
    spoil: calls(() => ({ close: async () => {} })),
  },
  {
    does: "drops calls that come before it is ready",
    check: "calls before ready are delivered in their order",
    noticed: /the end of the turn "count 5" took more than/,
    spoil: (rig) =>
      hasty(
        /^the end of the turn "count 5"$/,
        calls((session) => {
          let isReady = false;
          const ready = (): void => {
            isReady = true;
          };
          // The check may be over before the program is ready, which is ended then.
          session.ready().then(ready, () => {});
          return { prompt: async (prompt) => (isReady ? session.prompt(prompt) : undefined) };
        })(rig),
      ),
  },
  {
    does: "speaks though it was paused before it is ready",
    check: "a pause before ready holds",
    noticed: /expected no signal while paused from the start, for 100 ms/,
    spoil: calls((session, emit) => ({
      pause: () => {
        setImmediate(() => emit(WORD));
        session.pause();
      },
    })),
  },
];

const WORKING: Misbehaviour[] = [
  {
    does: "loses a word of its turn",
    check: "ready resolves, a turn is told from its words to its end, close emits exited",
    noticed: /deep-equal/,
    spoil: signals((emit) => (signal, ...rest) => {
      if (signal.type !== "text" || signal.delta !== "7 ") emit(signal, ...rest);
    }),
  },
  {
    does: "does not pause",
    check: "no signal comes while paused, and none is lost",
    noticed: /no signal while paused/,
    spoil: calls(() => ({ pause: () => {} })),
  },
  {
    does: "drops what comes while it is paused",
    check: "no signal comes while paused, and none is lost",
    noticed: /word \d took more than|the end of the turn took more than|expected every word of the turn/,
    spoil: (rig) => {
      let paused = false;
      // A slow program may say nothing during a pause, so the first signal after its beginning is dropped whenever it comes.
      let drop = false;
      const agent = spoilAgent(
        rig.agent,
        (session) => ({
          pause: () => {
            paused = true;
            drop = true;
          },
          resume: () => {
            paused = false;
            session.resume();
          },
        }),
        (emit) =>
          (...told) => {
            if (!paused && !drop) emit(...told);
            drop = false;
          },
      );
      return hasty(/^word [23]$|^the end of the turn$/, { ...rig, agent });
    },
  },
  {
    does: "pauses a moment too late",
    check: "a pause that is made within a signal holds the next one",
    noticed: /expected no signal while paused/,
    spoil: calls((session) => ({ pause: () => queueMicrotask(() => session.pause()) })),
  },
  {
    does: "ignores a cancel",
    check: "a cancel ends the turn, and the next prompt is served",
    noticed: /the end of a cancelled turn took more than/,
    spoil: (rig) => hasty(/^the end of a cancelled turn$/, calls(() => ({ cancel: async () => {} }))(rig)),
  },
  {
    does: "does not settle a cancel after its death",
    check: "an agent that ignores a cancel is ended by kill",
    noticed: /cancel of an agent that was killed took more than/,
    spoil: (rig) => hasty(/^cancel of an agent that was killed$/, calls(() => ({ cancel: never }))(rig)),
  },
  {
    does: "takes back the open ask for the answer to an unknown one",
    check: "answers to unknown asks are harmless, and so is a second answer",
    noticed: /expected no signal after the answer to an unknown ask/,
    spoil: calls((session, emit) => ({
      answer: async (ask, answer) => {
        if (ask === "no-such-ask") emit({ type: "ask.withdrawn", ask: "a1" });
        await session.answer(ask, answer);
      },
    })),
  },
  {
    does: "throws for an unknown ask",
    check: "answers to unknown asks are harmless, and so is a second answer",
    noticed: /there is no ask no-such-ask/,
    spoil: calls((session) => ({
      answer: async (ask, answer) => {
        if (ask === "no-such-ask") throw new Error(`there is no ask ${ask}`);
        await session.answer(ask, answer);
      },
    })),
  },
  {
    does: "never settles set",
    check: "set settles for every mode, and the first mode serves a turn",
    noticed: /set\(\{ mode: "build" \}\) took more than/,
    spoil: (rig) => hasty(/^set\(/, calls(() => ({ set: never }))(rig)),
  },
  {
    does: "never settles steer",
    check: "steer settles, and the turn still ends",
    noticed: /steer\("count 2"\) took more than/,
    spoil: (rig) => hasty(/^steer\(/, calls(() => ({ steer: never }))(rig)),
  },
  {
    does: "promises compact without having it",
    check: "compact is there where the agent says so, and is a turn",
    noticed: /false !== true/,
    spoil: (rig) => ({ ...rig, agent: { ...rig.agent, capabilities: { compact: true } } }),
  },
];

const ENDING: Misbehaviour[] = [
  {
    does: "emits exited twice",
    check: "a kill in a turn leaves no process, and exited is the last signal",
    noticed: /expected exited when kill resolves|expected one exited/,
    spoil: signals((emit) => (signal, ...rest) => {
      emit(signal, ...rest);
      if (signal.type === "exited") emit(signal, ...rest);
    }),
  },
  {
    does: "speaks after exited",
    check: "a close in a turn leaves no process, and exited is the last signal",
    noticed: /no signal after exited/,
    spoil: signals((emit) => (signal, ...rest) => {
      emit(signal, ...rest);
      if (signal.type === "exited") setImmediate(() => emit(WORD));
    }),
  },
  {
    does: "emits exited only after close has resolved",
    check: "a close in a turn leaves no process, and exited is the last signal",
    noticed: /expected exited when close resolves/,
    spoil: (rig) => ({
      ...rig,
      agent: spoilAgent(
        rig.agent,
        (session, emit) => ({ close: () => session.close().then(() => void setImmediate(() => emit(EXIT))) }),
        withoutExit,
      ),
    }),
  },
  {
    does: "is killed without a word",
    check: "a kill in a turn leaves no process, and exited is the last signal",
    noticed: /expected exited when kill resolves/,
    spoil: signals(withoutExit),
  },
  {
    does: "leaves a process behind",
    check: "a kill in a turn leaves no process, and exited is the last signal",
    noticed: /expected no process after kill/,
    spoil: calls((_session, emit) => ({ kill: async () => emit(EXIT) })),
  },
  {
    does: "holds back its exit while it is paused, though it is killed",
    check: "a kill while paused emits exited",
    noticed: /expected one exited after a kill while paused/,
    spoil: (rig) => {
      let paused = false;
      const agent = spoilAgent(
        rig.agent,
        (session) => ({
          pause: () => {
            paused = true;
            session.pause();
          },
        }),
        (emit) =>
          (...told) =>
            paused || emit(...told),
      );
      return { ...rig, agent };
    },
  },
  {
    does: "resolves a second close at once",
    check: "a second close waits for the first and emits nothing",
    noticed: /expected exited when each close resolves/,
    spoil: calls((session) => {
      let closing = false;
      return {
        close: async () => {
          if (closing) return;
          closing = true;
          await session.close();
        },
      };
    }),
  },
  {
    does: "throws for a prompt to a dead agent",
    check: "no call throws for an agent that has exited, and none wakes it",
    noticed: /prompt of an agent that has exited/,
    spoil: calls((session) => {
      let dead = false;
      return {
        kill: async (graceMs) => {
          await session.kill(graceMs);
          dead = true;
        },
        prompt: (prompt) => (dead ? Promise.reject(new Error("EPIPE")) : session.prompt(prompt)),
      };
    }),
  },
  {
    does: "wakes up for a prompt after its exit",
    check: "no call throws for an agent that has exited, and none wakes it",
    noticed: /expected one exited|expected exited to be the last/,
    spoil: calls((session, emit) => {
      let dead = false;
      return {
        kill: async (graceMs) => {
          await session.kill(graceMs);
          dead = true;
        },
        prompt: async (prompt) => (dead ? emit(WORD) : session.prompt(prompt)),
      };
    }),
  },
  {
    does: "loses its last words",
    check: "a program that dies tells its code and its last words, after all that it said",
    noticed: /expected the last lines of stderr in the exit/,
    spoil: signals((emit) => (signal, ...rest) => {
      emit(signal.type === "exited" ? { ...signal, stderr: [] } : signal, ...rest);
    }),
  },
  {
    does: "tells its exit before the last words of its turn",
    check: "a program that dies tells its code and its last words, after all that it said",
    noticed: /expected exited to be the last signal after a death|no signal after exited/,
    spoil: signals((emit) => {
      let last: Parameters<Emit> | undefined;
      return (...told) => {
        const [signal] = told;
        if (signal.type === "text" && signal.delta === "3 ") last = told;
        else emit(...told);
        if (signal.type === "exited" && last) emit(...last);
      };
    }),
  },
  {
    does: "passes on the signals of a start that was killed",
    check: "signals of a start that was killed do not come later, and a new start serves",
    noticed: /expected exited to be the last signal while another start serves/,
    spoil: calls((session, emit) => ({
      kill: async (graceMs) => {
        await session.kill(graceMs);
        setImmediate(() => emit(WORD));
      },
    })),
  },
  {
    does: "ends other sessions with the one that is killed",
    check: "a kill of one session leaves the other be",
    noticed: /took more than|deep-equal/,
    spoil: (rig) => {
      const all: AgentSession[] = [];
      const agent = spoilAgent(rig.agent, (session) => {
        all.push(session);
        return { kill: async (graceMs) => void (await Promise.all(all.map((one) => one.kill(graceMs)))) };
      });
      return hasty(/^the end of the turn "count 20"$/, { ...rig, agent });
    },
  },
  {
    does: "leaves a process of its own at a close",
    check: "ready resolves, a turn is told from its words to its end, close emits exited",
    noticed: /expected no process after close/,
    spoil: (rig) => {
      const left: number[] = [];
      const agent = spoilAgent(rig.agent, (session) => ({
        close: async () => {
          await session.close();
          const stray = spawn("sleep", ["5"], { stdio: "ignore" });
          stray.unref();
          if (stray.pid !== undefined) left.push(stray.pid);
        },
      }));
      return { ...rig, agent, processes: () => [...rig.processes(), ...left] };
    },
  },
];

/** Every way in which an agent may break the contract, with the check that must notice it. */
export const MISBEHAVIOURS: readonly Misbehaviour[] = [...SEVERAL, ...STARTING, ...WORKING, ...ENDING];
