import { ParleyError } from "../core/errors.ts";
import type { Engine } from "./engine.ts";
import { once } from "./once.ts";

/** The engine of a server, which is loaded when it is first asked for. */
export interface LateEngine {
  get(): Promise<Engine>;
  /** The engine, if it is there by now. */
  loaded(): Engine | undefined;
  /** Nothing loads it from here on. Resolves with the engine where there is one to close. */
  end(): Promise<Engine | undefined>;
}

export function lateEngine(load: () => Promise<Engine>): LateEngine {
  let ended = false;
  let loaded: Engine | undefined;
  let loading: Promise<unknown> | undefined;
  const started = once(async () => {
    loaded = await load();
    return loaded;
  });
  async function get(): Promise<Engine> {
    if (loaded) return loaded;
    if (ended) throw new ParleyError("shutting_down", "the server is stopping");
    const engine = started();
    loading = engine;
    return engine;
  }
  return {
    get,
    loaded: () => loaded,
    async end() {
      ended = true;
      await loading?.catch(() => {});
      return loaded;
    },
  };
}
