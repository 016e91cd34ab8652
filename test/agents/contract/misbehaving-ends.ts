import { spawn } from "node:child_process";
import type { AgentSession } from "../../../src/agents/contract.ts";
import { calls, type Emit, EXIT, hasty, type Misbehaviour, signals, spoilAgent, WORD, withoutExit } from "./spoil.ts";

export const ENDING: Misbehaviour[] = [
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
    noticed: /no signal after exited|expected exited to be the last signal/,
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
