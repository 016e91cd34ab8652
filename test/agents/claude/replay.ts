import { readFileSync } from "node:fs";
import { newDecodeState } from "../../../src/agents/claude/decode/state.ts";
import { answered, learnModels, wasRead, wroteUserLine } from "../../../src/agents/claude/decode/written.ts";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import type { ChildRef } from "../../../src/agents/contract.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { type Fields, fieldsIn, isFields, listIn, textIn } from "../../../src/core/json/fields.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import type { Answer, Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { countingIds, World } from "../../core/ledger/world.ts";

export interface Recorded {
  t: number;
  dir: "in" | "out" | "err" | "cwd" | "exit";
  line: unknown;
}

const GOLDEN = new URL("../../golden/claude/", import.meta.url);

export function goldenFile(name: string, ending: "jsonl" | "events.txt"): URL {
  return new URL(`${name}.${ending}`, GOLDEN);
}

export function recording(name: string): Recorded[] {
  const lines = readFileSync(goldenFile(name, "jsonl"), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Recorded);
}

const GRACE_MS = 250;
const ledger = { step, newLedger, restore };

/** Plays a recording through the decoder into ledgers, one for the session and one for each sub-agent. */
export class Replay {
  readonly root = new World(ledger);
  readonly children = new Map<string, { ref: ChildRef; world: World }>();
  readonly signals: { signal: Signal; child?: ChildRef }[] = [];
  readonly noise: string[] = [];
  readonly lost: boolean[] = [];
  state = newDecodeState("/project");
  private readonly stderr: string[] = [];
  private graceAt = Number.POSITIVE_INFINITY;
  private prompts = 0;
  private exited = false;

  take({ t, dir, line }: Recorded): this {
    if (t >= this.graceAt) this.fire();
    if (dir === "cwd") this.state = newDecodeState(String(line));
    else if (dir === "out") this.read(typeof line === "string" ? line : JSON.stringify(line), t);
    else if (dir === "in" && isFields(line)) this.wrote(line);
    else if (dir === "err") this.stderr.push(String(line));
    else if (dir === "exit" && isFields(line)) this.exit(line);
    if (this.root.timers.length > 0) this.graceAt = Math.min(this.graceAt, t + GRACE_MS);
    return this;
  }

  read(text: string, now: number): void {
    const decoded = decodeLine(this.state, text, now);
    this.state = decoded.state;
    if (decoded.noise) this.noise.push(decoded.noise);
    if (decoded.lost) this.lost.push(true);
    if (decoded.response && "models" in decoded.response.body)
      this.state = learnModels(this.state, decoded.response.body);
    for (const { signal, child } of decoded.said) this.say(signal, child);
  }

  private say(signal: Signal, child?: ChildRef): void {
    this.signals.push(child ? { signal, child } : { signal });
    this.worldOf(child).signal(signal);
  }

  private worldOf(child: ChildRef | undefined): World {
    if (!child) return this.root;
    const known = this.children.get(child.id) ?? { ref: child, world: new World(ledger, { id: countingIds() }) };
    this.children.set(child.id, known);
    return known.world;
  }

  private wrote(line: Fields): void {
    const uuid = textIn(line, "uuid");
    if (line.type === "user") {
      // Recordings that did not ask for echoes cannot tell which line was taken up.
      if (uuid !== undefined) this.state = wasRead(wroteUserLine(this.state, uuid), uuid, 0).state;
      const text = listIn(fieldsIn(line, "message"), "content")
        .map((part) => textIn(part, "text") ?? "")
        .join("");
      const prompt = { id: `msg_${++this.prompts}`, parts: [{ type: "text" as const, text }] };
      this.root.command({ type: this.root.state.turn ? "steer" : "prompt", prompt });
    } else if (line.type === "control_response") {
      this.answer(fieldsIn(line, "response"));
    }
  }

  private answer(response: Fields): void {
    const key = textIn(response, "request_id") ?? "";
    const request = this.state.requests.get(key);
    const world = this.worldOf(request?.child);
    const ask = world.state.turn?.asks.get(key);
    const body = fieldsIn(response, "response");
    const hook = fieldsIn(body, "hookSpecificOutput");
    const allowed = request?.hook ? hook.permissionDecision !== "deny" : body.behavior === "allow";
    this.state = answered(this.state, key, { refused: !allowed, lastWord: body.interrupt === true });
    if (!ask) return;
    const message = textIn(body, "message");
    const feedback = message === undefined ? {} : { feedback: message };
    const answers = fieldsIn(fieldsIn(body, "updatedInput"), "answers");
    const given =
      ask.kind === "question" ? ask.questions.map(({ question }) => textIn(answers, question) ?? "approved") : [];
    const answer: Answer =
      ask.kind === "permission"
        ? { kind: "permission", outcome: allowed ? "once" : "reject", ...feedback }
        : allowed
          ? { kind: "question", outcome: "answered", answers: given.map((one) => [one]) }
          : { kind: "question", outcome: "rejected", ...feedback };
    world.command({ type: "answer", ask: ask.id, answer, by: "test" });
  }

  private fire(): void {
    this.graceAt = Number.POSITIVE_INFINITY;
    for (const world of this.worlds()) world.fireTimers();
  }

  private exit({ code, signal }: Fields): void {
    this.exited = true;
    const exited = { type: "exited", code, signal, stderr: this.stderr } as Extract<Signal, { type: "exited" }>;
    for (const world of this.worlds()) world.signal(exited);
  }

  worlds(): World[] {
    return [this.root, ...[...this.children.values()].map(({ world }) => world)];
  }

  /** Nothing more comes. A recording may have stopped before the program did: then the program was ended with it. */
  end(): this {
    this.fire();
    if (!this.exited) this.exit({ code: null, signal: "SIGKILL" });
    return this;
  }
}

export function replay(name: string): Replay {
  const played = new Replay();
  for (const line of recording(name)) played.take(line);
  return played.end();
}

const LONGEST = 240;

/** Volatile and repeated things are left out, deltas of one item put together, so that a person can read it. */
export function compact(events: readonly ParleyEvent[]): string[] {
  const lines: string[] = [];
  let delta: { item: string; field: string; text: string; pieces: number } | undefined;
  const flush = (): void => {
    if (delta) lines.push(`  item.delta ${delta.item} ${delta.field} ${quote(delta.text)} (${delta.pieces})`);
    delta = undefined;
  };
  for (const event of events) {
    if (event.type === "item.delta" && event.data.delta !== undefined) {
      const { item, field, delta: text } = event.data;
      if (delta?.item !== item || delta.field !== field) flush();
      delta = { item, field, text: (delta?.text ?? "") + text, pieces: (delta?.pieces ?? 0) + 1 };
      continue;
    }
    flush();
    const indent = event.turn === undefined || event.type.startsWith("turn.") ? "" : "  ";
    lines.push(`${indent}${event.type} ${JSON.stringify(event.data, cut)}`);
  }
  flush();
  return lines;
}

const quote = (text: string): string => JSON.stringify(text, cut);

function cut(key: string, value: unknown): unknown {
  if (key === "duration") return undefined;
  if (typeof value !== "string" || value.length <= LONGEST) return value;
  return `${value.slice(0, LONGEST)}… (${value.length})`;
}

/** All that a recording becomes, as the golden file holds it. */
export function compactReplay(played: Replay): string {
  const parts = [...compact(played.root.events)];
  for (const { ref, world } of played.children.values()) {
    parts.push("", `sub-agent ${JSON.stringify(ref)}`, ...compact(world.events));
  }
  if (played.noise.length > 0) parts.push("", `not read: ${played.noise.join(", ")}`);
  return `${parts.join("\n")}\n`;
}
