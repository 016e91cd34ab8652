import { newDecodeState } from "../../../src/agents/claude/decode/state.ts";
import { answered, learnModels, wasRead, wroteUserLine } from "../../../src/agents/claude/decode/written.ts";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { Replay } from "../replay/replay.ts";

/** Plays a recording of Claude Code. */
export class ClaudeReplay extends Replay {
  readonly lost: boolean[] = [];
  state = newDecodeState("/project");
  private prompts = 0;

  protected override began(directory: string): void {
    this.state = newDecodeState(directory);
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

  protected wrote(line: Fields): void {
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
}
