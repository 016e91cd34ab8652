import type { AgentSession, OpenOptions } from "./contract.ts";

type Optional = "rewind" | "compact" | "steer" | "decide";

/**
 * Stands for a session whose module or program is still being looked for. Calls wait for it in their order, a pause holds from the start, and a session that is
 * closed or killed before it is there is never opened. `has` names the optional calls that the session will have.
 */
export function openLazily(
  open: OpenOptions,
  load: () => Promise<(open: OpenOptions) => AgentSession>,
  has: readonly Optional[],
): AgentSession {
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let session: AgentSession | undefined;
  let paused = false;
  let left = false;

  const opened = load()
    .then((make) => {
      if (left) return undefined;
      session = make(open);
      if (paused) session.pause();
      ready.resolve(session.ready());
      return session;
    })
    .catch((error: unknown) => {
      ready.reject(error);
      return undefined;
    });
  /** Makes a call when the session is open. All calls go this way, in their order; a session that never opened counts as dead. */
  const call = async (make: (session: AgentSession) => Promise<void> | undefined): Promise<void> => {
    const there = await opened;
    if (there) await make(there);
  };
  const leave = async (how: (session: AgentSession) => Promise<void>): Promise<void> => {
    if (session) return call(how);
    if (left) return;
    left = true;
    ready.reject(new Error("the session was closed before it was open"));
    open.emit({ type: "exited", code: null, signal: null, stderr: [] });
  };
  const optional: Pick<AgentSession, Optional> = {
    rewind: async (turns) => {
      const there = await opened;
      if (!there?.rewind) throw new Error("the session was closed before it was open");
      await there.rewind(turns);
    },
    compact: () => call((there) => there.compact?.()),
    steer: (prompt) => call((there) => there.steer?.(prompt)),
    decide: (ask, verdict) => call((there) => there.decide?.(ask, verdict)),
  };
  return {
    ready: () => ready.promise,
    prompt: (prompt) => call((there) => there.prompt(prompt)),
    ...Object.fromEntries(has.map((name) => [name, optional[name]])),
    cancel: () => call((there) => there.cancel()),
    answer: (ask, answer) => call((there) => there.answer(ask, answer)),
    set: (choice) => call((there) => there.set(choice)),
    close: () => leave((there) => there.close()),
    kill: (graceMs) => leave((there) => there.kill(graceMs)),
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
