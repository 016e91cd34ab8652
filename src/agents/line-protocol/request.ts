import { z } from "zod";
import { agentOption } from "../../core/events/values.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { ResumeLost } from "../contract.ts";
import { encodeCommand, type Request } from "./commands.ts";
import type { LineProtocolOptions } from "./launch.ts";

const ANSWER_MS = 20_000;
const LEAVE_GRACE_MS = 500;

const named = { id: z.string(), name: z.string().optional(), description: z.string().optional() };

/** The answers of a program to requests, by their types. */
const answers = {
  discovery: z.object({
    type: z.literal("discovery"),
    models: z.array(z.looseObject({ ...named, options: z.array(agentOption).optional() })).optional(),
    modes: z.array(z.object(named)).optional(),
    options: z.array(agentOption).optional(),
    commands: z
      .array(z.object({ name: z.string(), description: z.string().optional(), hint: z.string().optional() }))
      .optional(),
  }),
  sessions: z.object({
    type: z.literal("sessions"),
    sessions: z.array(z.object({ id: z.string(), title: z.string().optional(), updated: z.number().optional() })),
  }),
  forked: z.object({ type: z.literal("forked"), nativeId: z.string() }),
} as const;

type Answers = { [T in keyof typeof answers]: z.infer<(typeof answers)[T]> };

/** Starts the program for one request, and lets it go with its answer. Lines that are no answer mean nothing. */
export async function request<T extends keyof Answers>(
  agent: LineProtocolOptions,
  command: Request,
  type: T,
): Promise<Answers[T]> {
  const spec = { argv: agent.argv, directory: command.directory, session: "request", env: agent.env };
  const answer = Promise.withResolvers<Answers[T]>();
  const program = agent.host.spawn(spec, {
    line(text) {
      const said = read(text);
      if (said?.type === "resume_lost" && command.type === "fork") answer.reject(new ResumeLost(command.resume));
      const parsed = said?.type === type ? answers[type].safeParse(said) : undefined;
      if (parsed?.success) answer.resolve(parsed.data as Answers[T]);
      else if (parsed)
        answer.reject(new SpawnFailed(`its answer "${type}" has another shape: ${parsed.error.message}`, spec));
    },
    oversize: () => {},
  });
  program.started.catch(answer.reject);
  void program.exited.then((exit) =>
    answer.reject(new SpawnFailed(`it exited before it answered "${type}"`, spec, exit)),
  );
  const late = setTimeout(
    () => answer.reject(new SpawnFailed(`it did not answer "${type}" within ${ANSWER_MS} ms`, spec)),
    ANSWER_MS,
  );
  try {
    void program.write(encodeCommand(command));
    return await answer.promise;
  } finally {
    clearTimeout(late);
    await program.kill(LEAVE_GRACE_MS);
  }
}

function read(text: string): { type?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
