import { within } from "../../core/within.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { type Agent, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { type Command, encodeCommand, PROTOCOL } from "./commands.ts";
import { discoverProgram } from "./discover.ts";
import { type LineProtocolOptions, openCommand, spawnSpec } from "./launch.ts";
import { createListener } from "./listener.ts";

const READY_MS = 30_000;
const CLOSE_WAIT_MS = 2000;
const CLOSE_GRACE_MS = 1500;
const LAST_WORDS_MS = 2000;

/** An agent that is any program which speaks the line protocol. */
export function createLineProtocolAgent(options: LineProtocolOptions): Agent {
  return {
    name: options.name,
    capabilities: {
      ...(options.can?.includes("fork") ? { fork: "native" as const } : {}),
      ...(options.can?.includes("mcp") ? { mcp: ["stdio", "http", "sse"] as const } : {}),
    },
    discover: (project) => discoverProgram(options, project),
    ...(options.can?.includes("sessions") && {
      sessions: async (project) => {
        const { request } = await import("./request.ts");
        return (await request(options, { type: "sessions", protocol: PROTOCOL, ...project }, "sessions")).sessions;
      },
    }),
    ...(options.can?.includes("fork") && {
      fork: async (project, resume) => {
        const { request } = await import("./request.ts");
        return (await request(options, { type: "fork", protocol: PROTOCOL, ...project, resume }, "forked")).nativeId;
      },
    }),
    open: (open) => openSession(options, open),
  };
}

function openSession(agent: LineProtocolOptions, open: OpenOptions): AgentSession {
  const spec = spawnSpec(agent, open);
  const readyMs = agent.readyMs ?? READY_MS;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});

  const listener = createListener(open.emit, {
    ready: ready.resolve,
    lost: () => {
      ready.reject(new ResumeLost(open.resume ?? "(none was asked for)"));
      void close();
    },
    broken: ready.reject,
  });
  const program = agent.host.spawn(spec, listener);
  const deadline = setTimeout(() => {
    ready.reject(new SpawnFailed(`it did not say that it is ready within ${readyMs} ms`, spec));
    void kill(CLOSE_GRACE_MS);
  }, readyMs);

  const finished = program.exited.then(async (exit) => {
    clearTimeout(deadline);
    await listener.loaded;
    listener.flush();
    // A program that never ran has said why; what exited early is told with its last words.
    await program.started.catch(ready.reject);
    ready.reject(new SpawnFailed("it exited before it was ready", spec, exit));
    open.emit({ type: "exited", ...exit });
  });
  ready.promise.then(
    () => clearTimeout(deadline),
    () => clearTimeout(deadline),
  );

  const send = (command: Command): Promise<void> => program.write(encodeCommand(command));

  const kill = async (graceMs: number): Promise<void> => {
    await program.kill(graceMs);
    await within(finished, LAST_WORDS_MS);
  };

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      void send({ type: "close" });
      program.endInput();
      await within(finished, CLOSE_WAIT_MS);
      await kill(CLOSE_GRACE_MS);
    })();
    return closing;
  };

  void send(openCommand(open));
  return {
    ready: () => ready.promise,
    prompt: (prompt) => send({ type: "prompt", prompt }),
    ...(agent.steer && { steer: (prompt) => send({ type: "steer", prompt }) }),
    cancel: () => send({ type: "cancel" }),
    answer: (ask, answer) => send({ type: "answer", ask, answer }),
    decide: (ask, verdict) => send({ type: "decide", ask, verdict }),
    set: (choice) => send({ type: "set", ...choice }),
    close,
    kill,
    pause: program.pause,
    resume: program.resume,
  };
}
