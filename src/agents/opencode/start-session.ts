import { type Exit, SpawnFailed } from "../../host/contract.ts";
import type { OpenOptions } from "../contract.ts";
import { Api } from "./api.ts";
import { clearAsks } from "./asks.ts";
import type { Translator } from "./decode/translator.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { needsGate } from "./rulesets.ts";
import { type Assembly, assemble, type Running } from "./running.ts";
import type { Lease } from "./serve/contract.ts";
import { onGone } from "./serve/on-gone.ts";
import type { SessionOptions } from "./session-options.ts";

const SERVE = ["opencode", "serve"];

export interface StartSession extends Pick<Assembly, "isIntent" | "say"> {
  options: SessionOptions;
  open: OpenOptions;
  /** The one that has told of the session on a server that is gone. */
  translator?: Translator;
  /** Aborted when the session is over. */
  closing: AbortSignal;
  /** Its server is gone, or cannot be reached any more. */
  onEnd(exit: Exit): void;
}

export interface StartedSession {
  running: Running;
  opened: OpenedSession;
}

/** Opens a session of the program's on a server. Undefined where it is over by then. */
export async function startSession(start: StartSession): Promise<StartedSession | undefined> {
  const { open, options, closing } = start;
  const { directory, trusted, mcpServers = [], session, rules = () => [] } = open;
  if (!trusted) await options.assertHarmless(directory);
  const need = { directory, trusted, session, ruled: needsGate(rules()), mcpServers };
  const lease = await options.servers.lease(need);
  try {
    const started = closing.aborted ? undefined : await openOn(lease, start);
    if (!started) lease.release();
    return started;
  } catch (thrown) {
    lease.release();
    throw thrown;
  }
}

async function openOn(lease: Lease, start: StartSession): Promise<StartedSession | undefined> {
  const { open, options, closing, translator, isIntent, say, onEnd } = start;
  const { server } = lease;
  const { directory } = open;
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  let isOpen = false;
  const forget = onGone(server, (exit) => {
    if (isOpen) onEnd(exit);
    else gone.reject(new SpawnFailed("it ended before the session was open", { argv: SERVE, directory }, exit));
  });
  const opened = await Promise.race([openSession(new Api(server, directory), open), gone.promise]).catch(
    (thrown: unknown) => {
      forget();
      throw thrown;
    },
  );
  if (closing.aborted) {
    forget();
    return undefined;
  }
  isOpen = true;
  const running = assemble({
    open,
    gate: options.gate,
    lease,
    hub: options.hubs.of(server, directory),
    opened,
    closing,
    isIntent,
    say,
    onUnreachable: () => onEnd({ code: null, signal: null, stderr: [`no answer came from ${server.url}`] }),
    onLeave: forget,
    ...(translator ? { translator } : {}),
  });
  // The program keeps asks of a turn that was stopped. Those of a turn that runs are another client's.
  if (opened.resumed && !opened.isBusy) await clearAsks(running.api, [opened.id]);
  if (!closing.aborted) return { running, opened };
  running.leave();
  return undefined;
}
