import { calls, hasty, type Misbehaviour, never, signals, spoilAgent, starts, WORD } from "./spoil.ts";

export const STARTING: Misbehaviour[] = [
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

export const WORKING: Misbehaviour[] = [
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
