import type { PermissionSignal, QuestionSignal } from "../../src/core/ledger/signals.ts";
import type { FakeSession } from "./fake-agent.ts";
import { type Rig, text } from "./rig.ts";

export const permission: PermissionSignal = {
  type: "permission",
  ask: "p1",
  action: "edit",
  patterns: ["a.txt"],
  title: "Edit a.txt",
};
export const question: QuestionSignal = {
  type: "question",
  ask: "q1",
  questions: [{ question: "Which?", options: [{ label: "A" }] }],
};

/** A session whose agent has a prompt and may ask. */
export async function busy(r: Rig): Promise<{ id: string; session: FakeSession }> {
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  return { id, session: await got };
}

export const requested = (event: { type: string }): boolean => event.type.endsWith(".requested");
export const resolved = (event: { type: string }): boolean => event.type.endsWith(".resolved");
