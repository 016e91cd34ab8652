import { type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Program } from "../program/program.ts";
import type { Read } from "../program/read-lines.ts";
import { type Command, encodeCommand } from "./commands.ts";
import { decodeLine } from "./decode.ts";
import { type LineProtocolOptions, openCommand, spawnSpec } from "./launch.ts";

const READY_MS = 30_000;

/** Starts the program for one session. */
export function openSession(agent: LineProtocolOptions, open: OpenOptions): AgentSession {
  const send = (command: Command): Promise<void> => program.write(encodeCommand(command));
  let rewinding: PromiseWithResolvers<void> | undefined;
  const read = (text: string): Read => {
    const decoded = decodeLine(text);
    if (decoded.what === "signal") return { said: [decoded] };
    if (decoded.what === "noise") return { said: [], noise: decoded.reason };
    if (decoded.what === "ready") program.isReady();
    if (decoded.what === "rewound") rewinding?.resolve();
    if (decoded.what === "rewind_failed") rewinding?.reject(new Error(decoded.reason));
    if (decoded.what === "resume_lost") {
      program.fail(new ResumeLost(open.resume ?? "(none was asked for)"));
      void program.close();
    }
    return { said: [] };
  };
  const program = new Program({
    host: agent.host,
    spec: spawnSpec(agent, open),
    emit: open.emit,
    readyMs: agent.readyMs ?? READY_MS,
    read,
    leave: () => void send({ type: "close" }),
    onExit: () => void rewinding?.reject(new Error("it exited before it answered")),
  });
  void send(openCommand(open));
  const { ready, close, kill, pause, resume } = program;
  return {
    ready,
    prompt: (prompt) => send({ type: "prompt", prompt }),
    rewind: async (turns) => {
      const asked = Promise.withResolvers<void>();
      rewinding = asked;
      void send({ type: "rewind", turns });
      await Promise.race([asked.promise, program.exited]);
      // A program that has exited before it was asked says nothing any more.
      asked.reject(new Error("it has exited"));
      await asked.promise;
    },
    steer: (prompt) => send({ type: "steer", prompt }),
    cancel: () => send({ type: "cancel" }),
    answer: (ask, answer) => send({ type: "answer", ask, answer }),
    decide: (ask, verdict) => send({ type: "decide", ask, verdict }),
    set: (choice) => send({ type: "set", ...choice }),
    close,
    kill,
    pause,
    resume,
  };
}
