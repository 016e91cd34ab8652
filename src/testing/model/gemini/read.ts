import { type Conversation, type Entry, unpaired } from "../conversation.ts";
import { contentText, type Json, list, record, text } from "../json.ts";

/** The model and the manner are told by the path. */
const PATH = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

/** Calls without an id are told apart by their names and their order. */
class Calls {
  readonly #counts = new Map<string, number>();

  key(kind: "functionCall" | "functionResponse", part: Json): string {
    const told = record(part[kind]);
    if (text(told.id) !== "") return text(told.id);
    const counted = `${kind} ${text(told.name)}`;
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    return `${text(told.name)} ${count}`;
  }
}

function answerText(part: Json): string {
  const { response } = record(part.functionResponse);
  const { output, error } = record(response);
  return text(output) || text(error) || JSON.stringify(response ?? {});
}

function entriesOf(content: Json, calls: Calls): Entry[] {
  const parts = list(content.parts).map(record);
  if (content.role === "model") {
    const called = parts.filter(({ functionCall }) => functionCall !== undefined);
    return [{ role: "assistant", calls: called.map((part) => calls.key("functionCall", part)) }];
  }
  const answers = parts.filter(({ functionResponse }) => functionResponse !== undefined);
  const said = contentText(parts);
  return [
    ...answers.map((part) => ({
      role: "tool" as const,
      call: calls.key("functionResponse", part),
      text: answerText(part),
    })),
    ...(said === "" ? [] : [{ role: "user" as const, text: said }]),
  ];
}

/** Reads a request of the Gemini API. */
export function readGemini(body: Json, path: string): Conversation {
  const [, model = "", manner] = PATH.exec(path) ?? [];
  const calls = new Calls();
  const entries = list(body.contents).flatMap((content) => entriesOf(record(content), calls));
  const declared = list(body.tools).flatMap((tool) => list(record(tool).functionDeclarations));
  return {
    model,
    stream: manner === "streamGenerateContent",
    system: contentText(record(body.systemInstruction).parts),
    entries,
    tools: declared.map((one) => ({ name: text(record(one).name) })),
    wantsUsage: true,
    ...refusal(entries),
  };
}

function refusal(entries: readonly Entry[]): { refusal?: string } {
  const found = entries.length === 0 ? "contents: expected at least one content of a user" : unpaired(entries);
  return found === undefined ? {} : { refusal: found };
}
