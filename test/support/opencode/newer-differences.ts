import type { Difference } from "./parity-differences.ts";

/** The meant differences of the newer half of the API. */
export const NEWER_DIFFERENCES: readonly Difference[] = [
  {
    fits: /: event session\.next\.step\.(started \(kept, version 1\): agent assistantMessageID model|ended \(kept, version 2\): assistantMessageID cost files finish) sessionID( snapshot)? timestamp( tokens)?$|: keys of assistant with an error: agent content error finish id model( snapshot)? time type$/,
    told: "Steps carry no snapshot",
  },
  {
    fits: /^Parley only: event session\.(updated|status|diff|idle|error): |^Parley only: event (file\.edited|todo\.updated): /,
    told: "`/api/event` also tells when a session is busy and idle",
  },
  {
    fits: /^native only: event session\.next\.tool\.input\.delta: /,
    told: "the input of a call comes whole",
  },
  {
    fits: /: event permission\.v2\.asked: /,
    told: "a permission has `metadata`",
  },
  {
    fits: /^Parley only: event session\.next\.tool\.progress|: a call: tool\.input\.started, tool\.input\.ended, tool\.called, (tool\.progress, )*tool\.(success|failed)$/,
    told: "`tool.progress` tells the output of a command that runs",
  },
  {
    fits: /: message 2 says: It wrote: it-ran\n(\nCommand exited with code 0\.)?$/,
    told: "The output of a tool is the agent's own",
  },
  {
    fits: /: the turn: prompt\.admitted, prompted, step\.started(, step\.ended)?$|: message 1 is assistant, its finish (nothing|tool-calls)$|: times of assistant: (completed )?created$|: keys of assistant: agent content (cost finish )?id model snapshot time (tokens )?type$/,
    told: "a step whose call was refused ends, too",
  },
];
