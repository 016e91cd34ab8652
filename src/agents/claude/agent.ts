import type { Fields } from "../../core/json/fields.ts";
import type { ProcessHost } from "../../host/contract.ts";
import { SpawnFailed } from "../../host/contract.ts";
import type { Agent, AgentSession, OpenOptions } from "../contract.ts";
import type { Discoverer } from "./discover.ts";
import type { ClaudeSession } from "./session.ts";

export interface ClaudeOptions {
  host: ProcessHost;
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Claude Code, driven by its own command line. Nothing of the adapter is loaded before it is asked for. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  const { host, dataDirectory, env: extra = {} } = options;
  const env = { ...process.env, ...extra };
  let loading: Promise<Discoverer> | undefined;
  const discoverer = (): Promise<Discoverer> => {
    loading ??= import("./discover.ts").then(({ Discoverer }) => new Discoverer({ host, dataDirectory, env, extra }));
    return loading;
  };
  const start = async (open: OpenOptions): Promise<ClaudeSession> => {
    const [{ ClaudeSession }, { findClaude }] = await Promise.all([
      import("./session.ts"),
      import("./find-program.ts"),
    ]);
    const found = await findClaude({ dataDirectory, env });
    if ("missing" in found) throw new SpawnFailed(found.missing, { argv: ["claude"], directory: open.directory });
    const learned = (initialized: Fields): void => void discoverer().then((one) => one.learned(initialized));
    return new ClaudeSession({ host, program: found.path, env: extra, learned }, open);
  };
  return {
    name: "claude",
    capabilities: { compact: "/compact" },
    discover: async () => (await discoverer()).discover(),
    async usable() {
      const [{ findClaude }, { findCredentials }] = await Promise.all([
        import("./find-program.ts"),
        import("./credentials.ts"),
      ]);
      const found = await findClaude({ dataDirectory, env });
      return !("missing" in found) && (await findCredentials(env)) !== undefined;
    },
    async projectSettings(directory) {
      const { projectSettings } = await import("./project-settings.ts");
      return projectSettings(directory, env.HOME);
    },
    open: (open) => openLazily(start, open),
  };
}

/** Stands for a session whose program is still being looked for. */
function openLazily(start: (open: OpenOptions) => Promise<ClaudeSession>, open: OpenOptions): AgentSession {
  let session: ClaudeSession | undefined;
  let gone = false;
  let paused = false;
  const opening = start(open).then((opened) => {
    session = opened;
    if (paused) opened.pause();
    if (gone) return opened.kill(0);
    return opened.ready();
  });
  opening.catch(() => {});
  const leave = async (how: (opened: ClaudeSession) => Promise<void>): Promise<void> => {
    if (session) return how(session);
    gone = true;
    await opening.catch(() => {});
    // One that was never started has nobody else to say so.
    if (!session) open.emit({ type: "exited", code: null, signal: null, stderr: [] });
  };
  return {
    async ready() {
      await opening;
      if (gone) throw new Error("the session was closed before it was open");
    },
    prompt: async (prompt) => session?.prompt(prompt),
    steer: async (prompt) => session?.steer(prompt),
    cancel: async () => session?.cancel(),
    answer: async (ask, answer) => session?.answer(ask, answer),
    decide: async (ask, verdict) => session?.decide(ask, verdict),
    set: async (choice) => session?.set(choice),
    close: () => leave((opened) => opened.close()),
    kill: (graceMs) => leave((opened) => opened.kill(graceMs)),
    pause() {
      paused = true;
      session?.pause();
    },
    resume() {
      paused = false;
      session?.resume();
    },
  };
}
