import { type RecordedRequest, Recorder } from "./recorder.ts";
import { type Answer, type Asked, createResponder } from "./respond.ts";
import type { Script } from "./script.ts";

export interface ScriptSource {
  /** A script, as an object or as YAML. Without it and without a file: the built-in one. */
  script?: Script | string;
  file?: string;
}

/** The part of a scripted model that tests see. */
export interface Observed {
  /** Every request so far, oldest first. */
  requests: readonly RecordedRequest[];
  /** The names at which replies are held just now. */
  held: ReadonlySet<string>;
  /** Lets replies go on that are held at this name, now and later. */
  release(name: string): void;
  /** Waits until the condition holds; it is looked at whenever a request comes, ends, or is held. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void>;
}

export interface Opened {
  respond(asked: Asked): Answer;
  recorder: Recorder;
  observed: Observed;
}

/** A script that is an object needs neither the YAML reader nor the schema. */
async function scriptOf({ script, file }: ScriptSource): Promise<Script> {
  if (file === undefined && typeof script === "object") return script;
  const { loadScript, parseScript } = await import("./parse-script.ts");
  if (file !== undefined) return loadScript(file);
  if (typeof script === "string") return parseScript(script);
  const { DEFAULT_SCRIPT } = await import("./default-script.ts");
  return parseScript(DEFAULT_SCRIPT, "built-in script");
}

export async function openScript(source: ScriptSource): Promise<Opened> {
  const respond = createResponder(await scriptOf(source));
  const recorder = new Recorder();
  const observed: Observed = {
    requests: recorder.requests,
    held: recorder.held,
    release: (name) => recorder.release(name),
    until: (condition, signal) => recorder.until(condition, signal),
  };
  return { respond, recorder, observed };
}
