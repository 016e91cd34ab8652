import type { Contestant } from "../harness/contestant.ts";
import { hear, hearTurn, openStream, type StreamEars } from "../harness/listen.ts";
import type { Heard, Passed } from "../harness/paced.ts";
import { type Server, startEventRelay } from "../harness/server.ts";
import { newSession, pathIn, promptAsync, readEvent } from "../opencode/deltas.ts";
import type { Stage } from "../opencode/stage.ts";

/** OpenCode's own server, with one plain reader of `/event` for each directory. */
export interface PlainServer extends Contestant {
  readonly url: string;
  /** Hears what the readers read, until the answer is called. */
  listen(ears: StreamEars): () => void;
  /** One turn of a session in the server's own directory, heard through a relay of its events that does nothing else. */
  relayed(session: string): Promise<Heard>;
}

export interface Asking {
  text: string;
  /** Pieces of the whole answer. */
  pieces: number;
  /** When the model wrote them. */
  sent: Passed;
}

/** Starts a server. Its reader of a directory is there before the first session in it, and so before any of Parley's. */
export async function startPlain(scope: AsyncDisposableStack, stage: Stage, asking: Asking): Promise<PlainServer> {
  const { text, pieces, sent } = asking;
  const server = await stage.start(scope);
  const readers = new Map<string, Promise<void>>();
  const directories = new Map<string, string>();
  const listening = new Set<StreamEars>();

  const startReader = async (directory: string): Promise<void> => {
    const close = await openStream(server.url + pathIn("/event", directory), {
      data: (data, now) => listening.forEach((ears) => void ears.data(data, now)),
      fail: (why) => listening.forEach((ears) => void ears.fail(why)),
    });
    scope.defer(close);
  };
  const prompt = (session: string): Promise<void> => promptAsync(server, session, text, directories.get(session));
  let relay: Promise<Server> | undefined;
  const listen: PlainServer["listen"] = (ears) => {
    listening.add(ears);
    return () => void listening.delete(ears);
  };
  return {
    url: server.url,
    pid: server.pid,
    listen,
    async open(directory = stage.directory) {
      const reader = readers.get(directory) ?? startReader(directory);
      readers.set(directory, reader);
      await reader;
      const session = await newSession(server, directory);
      directories.set(session, directory);
      return session;
    },
    turn(session) {
      const read = readEvent(session);
      return hearTurn({ pieces, sent, begin: () => prompt(session) }, async (take, fail) =>
        listen({
          data(data, now) {
            const piece = read(data);
            if (piece) take(piece, now);
          },
          fail,
        }),
      );
    },
    async relayed(session) {
      relay ??= startEventRelay(scope, server.url + pathIn("/event", stage.directory));
      const { url } = await relay;
      return hear({ url, read: readEvent(session), pieces, sent, begin: () => prompt(session) });
    },
  };
}
