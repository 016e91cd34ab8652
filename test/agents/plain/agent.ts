import { randomUUID } from "node:crypto";
import { type Agent, type AgentSession, type OpenOptions, ResumeLost } from "../../../src/agents/contract.ts";
import { Program } from "../../../src/agents/program/program.ts";
import type { Read } from "../../../src/agents/program/read-lines.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type { ProcessHost } from "../../../src/host/contract.ts";
import { findProgram } from "../../../src/host/find-program.ts";

type Argv = readonly [string, ...string[]];

/** A program that reads and writes a word a line, with its argument behind it. */
export function createPlainAgent(host: ProcessHost, argv: Argv, readyMs = 30_000): Agent {
  return {
    name: "plain",
    async discover() {
      const found = await findProgram(argv[0], process.env.PATH);
      const detail = found ?? `no program ${argv[0]} was found; install it`;
      return { installed: found !== undefined, detail, credentials: "not_needed", models: [], modes: [] };
    },
    open: (open) => openPlain(host, argv, readyMs, open),
  };
}

function openPlain(host: ProcessHost, argv: Argv, readyMs: number, open: OpenOptions): AgentSession {
  const { session, directory, emit } = open;
  let item = "";

  const signalOf = (word: string, words: string): Signal | undefined => {
    const [ask = "", ...command] = words.split(" ");
    if (word === "SAY") return { type: "text", item, kind: "message", role: "assistant", delta: `${words} ` };
    if (word === "MAY") return { type: "permission", ask, action: "bash", command: command.join(" ") };
    if (word === "DONE") return { type: "turn.finished", reason: "end_turn" };
    if (word === "STOPPED") return { type: "turn.finished", reason: "cancelled" };
    return undefined;
  };

  const read = (line: string): Read => {
    const [word = "", ...words] = line.split(" ");
    if (word === "READY") program.isReady();
    else if (word === "LOST") program.fail(new ResumeLost(open.resume ?? "(none was asked for)"));
    else {
      const signal = signalOf(word, words.join(" "));
      return signal ? { said: [{ signal }] } : { said: [], noise: "unknown_word" };
    }
    return { said: [] };
  };

  const leave = (): void => void program.write("BYE");
  const program = new Program({ host, spec: { argv, directory, session }, emit, readyMs, read, leave });
  void program.write(`OPEN ${open.resume ?? ""}`);
  const { ready, close, kill, pause, resume } = program;
  return {
    ready,
    close,
    kill,
    pause,
    resume,
    async prompt({ parts }) {
      item = randomUUID();
      const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
      await program.write(`PROMPT ${text.replaceAll(/\s+/g, " ")}`);
    },
    cancel: () => program.write("STOP"),
    answer: (ask, { outcome }) => program.write(`${outcome === "reject" ? "NO" : "YES"} ${ask}`),
    set: ({ model, mode }) => program.write(`USE ${model ?? mode ?? ""}`),
  };
}
