import type { z } from "zod";
import type { PlanEntry, Question } from "../../../core/events/values.ts";
import type { CommandHost } from "../../../host/contract.ts";
import type { Outcome } from "../turn/deferreds.ts";
import type { FileLocks } from "../turn/file-locks.ts";
import type { Permission, Verdict } from "../turn/permissions.ts";

/** The means of a tool. */
export interface ToolContext {
  session: string;
  directory: string;
  /** Whether the user trusts the directory. */
  trusted: boolean;
  host: CommandHost;
  locks: FileLocks;
  /** Aborts when the call is given up. */
  signal: AbortSignal;
  /** Output as it comes. */
  output(delta: string): void;
  /** Resolves when it is allowed, and marks the call as running; throws otherwise. */
  permit(permission: Permission): Promise<void>;
  /** The verdict of the session's rules on something that the tool would do without asking. */
  verdictOn(intent: Permission): Promise<Verdict>;
  question(questions: Question[]): Promise<string[][]>;
  plan(entries: PlanEntry[]): void;
}

export type Done = Pick<Outcome, "output" | "files" | "metadata"> & Partial<Pick<Outcome, "ok" | "error">>;

interface Definition<S extends z.ZodType> {
  name: string;
  description: string;
  input: S;
  /** It changes something: not for plan mode, and it asks before it runs. */
  writes?: boolean;
  /** The subject of the call in a few words. */
  title(input: z.infer<S>): string;
  /** The deed that rules are held against, for a tool that does not ask: the call of the tool as such, unless told. */
  intent?(input: z.infer<S>, directory: string): Permission | Promise<Permission>;
  run(input: z.infer<S>, context: ToolContext): Promise<Done>;
}

/** A tool as the loop sees it: its input is unknown until the tool itself has read it. */
export interface Tool {
  name: string;
  description: string;
  input: z.ZodType;
  writes: boolean;
  title(input: unknown): string | undefined;
  intent(input: unknown, directory: string): Promise<Permission>;
  run(input: unknown, context: ToolContext): Promise<Done>;
}

export function defineTool<S extends z.ZodType>({
  title,
  run,
  intent = () => ({ action: rest.name, patterns: [] }),
  writes = false,
  ...rest
}: Definition<S>): Tool {
  return {
    ...rest,
    writes,
    title(input) {
      const parsed = rest.input.safeParse(input);
      return parsed.success ? title(parsed.data) : undefined;
    },
    async intent(input, directory) {
      return { title: rest.name, input, ...(await intent(rest.input.parse(input), directory)) };
    },
    run: (input, context) => run(rest.input.parse(input), context),
  };
}
