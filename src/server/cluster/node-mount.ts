import { ParleyError } from "../../core/errors.ts";
import type { SeenDirectory, Told } from "../../surfaces/opencode/nodes/contract.ts";
import type { CodeVerdict } from "../console/codes.ts";
import type { Mount } from "../http/mounts.ts";
import { sendJson } from "../http/respond.ts";
import { NODE_PATHS } from "./peers.ts";

export interface NodeQuestions {
  has(directory: string): Promise<boolean>;
  look(directory: string): Promise<SeenDirectory | undefined>;
  /** Words for OpenCode's surface. */
  told(words: readonly Told[]): void;
  goOn(session: string): void;
  /** Takes a code that lets a browser in to the console. */
  code(code: string): CodeVerdict;
  drain(): Promise<void>;
}

function textOf(body: Buffer | undefined, name: string): string {
  const value = (JSON.parse(body?.toString("utf8") ?? "{}") as Record<string, unknown>)[name];
  if (typeof value === "string") return value;
  throw new ParleyError("bad_request", `expected ${name} as a text`);
}

function wordsOf(body: Buffer | undefined): readonly Told[] {
  const { words } = JSON.parse(body?.toString("utf8") ?? "{}") as { words?: readonly Told[] };
  return words ?? [];
}

/** The paths that only other nodes may call. */
export function nodeMount(questions: NodeQuestions): Mount {
  return {
    match: (path) => Object.values<string>(NODE_PATHS).includes(path),
    async load() {
      return async (_, response, context) => {
        if (!context.hop) throw new ParleyError("not_found", `nothing is served at ${context.path}: see /openapi.json`);
        switch (context.path) {
          case NODE_PATHS.has:
            return sendJson(response, 200, { has: await questions.has(textOf(context.body, "directory")) });
          case NODE_PATHS.look:
            return sendJson(response, 200, { seen: await questions.look(textOf(context.body, "directory")) });
          case NODE_PATHS.told:
            questions.told(wordsOf(context.body));
            return sendJson(response, 202, {});
          case NODE_PATHS.goOn:
            questions.goOn(textOf(context.body, "session"));
            return sendJson(response, 202, {});
          case NODE_PATHS.code:
            return sendJson(response, 200, { verdict: questions.code(textOf(context.body, "code")) });
          default:
            await questions.drain();
            return sendJson(response, 202, {});
        }
      };
    },
  };
}
