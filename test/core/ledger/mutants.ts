/** Deliberate breaks of the ledger, one line each: the examination must notice every one as a break of its law. */
export interface Mutant {
  law: number;
  what: string;
  file: string;
  find: string;
  replace: string;
}

export const mutants: Mutant[] = [
  {
    law: 1,
    what: "an agent's death ends no turn",
    file: "finish.ts",
    find: "if (turn) closeTurn(frame, turn.end ?? endByExit(closing, exit));",
    replace: "",
  },
  {
    law: 1,
    what: "a cancel loses the prompts that wait",
    file: "prompts.ts",
    find: 'for (const prompt of queue) frame.sayOfSession("prompt.withdrawn", { prompt: prompt.id, reason }, "parley");',
    replace: "void queue;",
  },
  {
    law: 1,
    what: "a prompt that was begun waits on",
    file: "prompts.ts",
    find: "frame.patch({ queue: rest });",
    replace: "void rest;",
  },
  {
    law: 1,
    what: "context that a turn was given is kept for the next one, too",
    file: "prompts.ts",
    find: "    frame.patch({ queue: prompt.task ? queue : [] });\n    startPrompt",
    replace: "    startPrompt",
  },
  {
    law: 1,
    what: "what was taken back is cut with each prompt anew",
    file: "revert.ts",
    find: '  updateFacts(frame, { meta: { revert: null }, ...rewound }, "parley");\n',
    replace: "  void updateFacts;\n  void rewound;\n",
  },
  {
    law: 2,
    what: "a turn that has ended goes on speaking",
    file: "finish.ts",
    find: "frame.patch({ turn: null, past:",
    replace: "frame.patch({ past:",
  },
  {
    law: 3,
    what: "a prompt of the past ends a turn outside of a replay",
    file: "replay.ts",
    find: '  if (frame.state.replay !== "take") return;\n',
    replace: "",
  },
  {
    law: 3,
    what: "the end of a replay that is passed over ends the turn that waits for it",
    file: "replay.ts",
    find: 'if (frame.state.replay === "take") endPastTurn(frame);',
    replace: "endPastTurn(frame);",
  },
  {
    law: 3,
    what: "a step's end ends the turn",
    file: "step.ts",
    find: "endStep(frame, signal.finish, signal.usage);",
    replace: 'endStep(frame, signal.finish, signal.usage); frame.patchTurn({ end: { reason: "end_turn" } });',
  },
  {
    law: 4,
    what: "a corrected text is added to the wrong one",
    file: "text.ts",
    find: ": { replace: text };",
    replace: ": { delta: text };",
  },
  {
    law: 8,
    what: "repeats of a finished item start it again",
    file: "text.ts",
    find: "done: turn.done.with(textKey(key))",
    replace: "done: turn.done",
  },
  {
    law: 5,
    what: "a running tool call runs again",
    file: "tools.ts",
    find: 'if (open.status === "running") return open;',
    replace: "",
  },
  {
    law: 6,
    what: "calls that are open at the turn's end stay open",
    file: "tools.ts",
    find: "if (left) interrupt(frame, call, left, muteLate);",
    replace: "void left;",
  },
  {
    law: 6,
    what: "settled calls do not let the turn end before the timer",
    file: "step.ts",
    find: "  closeIfSettled(frame);\n",
    replace: '  if ("signal" in input && input.signal.type === "turn.finished") closeIfSettled(frame);\n',
  },
  {
    law: 7,
    what: "asks outlive their turn",
    file: "finish.ts",
    find: "  closeAsks(frame, false);\n",
    replace: "",
  },
  {
    law: 7,
    what: "an answered ask can be answered again",
    file: "asks.ts",
    find: "asks: withEntry(turn.asks, key, undefined),",
    replace: "asks: turn.asks,",
  },
  {
    law: 8,
    what: "the turn's end does not wait for tool results",
    file: "finish.ts",
    find: "if (turn?.end && turn.calls.size === 0) closeTurn",
    replace: "if (turn?.end) closeTurn",
  },
  {
    law: 8,
    what: "a result that comes before its call is dropped",
    file: "tools.ts",
    find: "heldDone: open.heldDone ?? signal",
    replace: "heldOutput: open.heldOutput",
  },
  {
    law: 8,
    what: "text of an unknown speaker is dropped",
    file: "text.ts",
    find: '  setText(frame, signal.item, after);\n  if (!open.known || delta === "") return;',
    replace: '  if (!open.known || delta === "") return;\n  setText(frame, signal.item, after);',
  },
  {
    law: 9,
    what: "the agent's word beats the cancel",
    file: "finish.ts",
    find: "if (turn.cancelled) return",
    replace: 'if (turn.cancelled && wanted.reason !== "end_turn") return',
  },
  {
    law: 10,
    what: "background words are lost",
    file: "tools.ts",
    find: "  frame.patch({ background: withEntry(frame.state.background, signal.call, turn.id) });\n",
    replace: "",
  },
  {
    law: 10,
    what: "a repeated end of the last turn ends the next",
    file: "finish.ts",
    find: "if (finished.includes(signal.turn) ||",
    replace: "if (finished.length < 0 ||",
  },
  {
    law: 11,
    what: "an error ends the turn without an error event",
    file: "finish.ts",
    find: '  if (error) frame.say("error", error);\n',
    replace: "",
  },
  {
    law: 12,
    what: "a crash leaves the turn open",
    file: "finish.ts",
    find: '  closeTurn(frame, frame.state.turn.end ?? { reason: "interrupted" });\n',
    replace: "",
  },
];
