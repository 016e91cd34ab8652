import type { Chunk, Pause, Step, Stop, Words } from "./script.ts";

export interface Piece extends Pause {
  text: string;
}

export interface ToolPart {
  kind: "tool";
  name: string;
  id?: string;
  pieces: readonly Piece[];
  input: Readonly<Record<string, unknown>> | string;
  /** Before the call begins. */
  pause: Pause;
}

export type Part =
  | { kind: "text"; pieces: readonly Piece[] }
  | { kind: "reasoning"; pieces: readonly Piece[] }
  | ToolPart;

export interface Usage {
  /** All input tokens, those of the cache included. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** All output tokens, those of reasoning included. */
  output: number;
  reasoning: number;
}

/** A step of a script, ready to be written in a wire format. */
export interface Reply {
  parts: readonly Part[];
  stop: Stop;
  usage: Usage;
  finish: Pause;
}

const INPUT_PIECE = 24;
const CHARACTERS_PER_TOKEN = 4;

export function joined(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}

function pieceOf(chunk: Chunk, pace: number): Piece {
  return typeof chunk === "string" ? { text: chunk, delay: pace } : { ...chunk, delay: chunk.delay ?? pace };
}

function piecesOf(words: Words, pace: number): Piece[] {
  const chunks = typeof words === "string" ? (words.match(/\S+\s*|\s+/g) ?? []) : words;
  return chunks.map((chunk) => pieceOf(chunk, pace));
}

function inputPieces(input: unknown, pace: number): Piece[] {
  const whole = typeof input === "string" ? input : JSON.stringify(input);
  const pieces: Piece[] = [];
  for (let at = 0; at < whole.length; at += INPUT_PIECE) {
    pieces.push({ text: whole.slice(at, at + INPUT_PIECE), delay: pace });
  }
  return pieces;
}

function partsOf(step: Step, pace: number): Part[] {
  const short = [
    ...(step.reasoning === undefined ? [] : [{ reasoning: step.reasoning }]),
    ...(step.text === undefined ? [] : [{ text: step.text }]),
    ...(step.tools ?? []).map((tool) => ({ tool })),
  ];
  return (step.parts ?? short).map((part): Part => {
    if ("reasoning" in part) return { kind: "reasoning", pieces: piecesOf(part.reasoning, pace) };
    if ("text" in part) return { kind: "text", pieces: piecesOf(part.text, pace) };
    const { name, input = {}, id, delay, hold } = part.tool;
    return { kind: "tool", name, id, input, pieces: inputPieces(input, pace), pause: { delay, hold } };
  });
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Usage that nobody scripted is an estimate, so that it grows with the conversation as a real one does. */
function usageOf(step: Step, parts: readonly Part[], requestSize: number): Usage {
  const length = (some: readonly Part[]) => some.reduce((sum, part) => sum + joined(part.pieces).length, 0);
  const reasoning = tokens(length(parts.filter((part) => part.kind === "reasoning")));
  const counted = { input: tokens(requestSize), output: tokens(length(parts)), reasoning };
  return { ...counted, cacheRead: 0, cacheWrite: 0, ...step.usage };
}

export function compose(step: Step, requestSize: number, defaultPace: number): Reply {
  const parts = partsOf(step, step.pace ?? defaultPace);
  const stop = step.stop ?? (parts.some((part) => part.kind === "tool") ? "tools" : "end");
  return { parts, stop, usage: usageOf(step, parts, requestSize), finish: step.finish ?? {} };
}
