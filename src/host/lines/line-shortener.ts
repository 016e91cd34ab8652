import { MAX_DEPTH } from "../../core/json/depth.ts";
import { OutputBytes } from "./output-bytes.ts";
import { BACKSLASH, Marks, QUOTE, textEnd, U } from "./text-end.ts";

/** The sizes to which a line is cut that is too long to be read in one go. */
export interface ShortenLimits {
  /** Bytes of all texts together: each gets at most half of what is left, so that what comes last is there, too. */
  total: number;
  /** Bytes of one text. */
  text: number;
  /** Bytes of a text that is of no use in part, such as a picture: it is kept whole or left out. */
  whole: number;
  /** Values, shared out in the same way. */
  values: number;
  depth: number;
}

export const SHORTEN_LIMITS: ShortenLimits = {
  total: 6 * 1024 * 1024,
  text: 1024 * 1024,
  whole: 4 * 1024 * 1024,
  values: 50_000,
  depth: MAX_DEPTH,
};

export interface Shortened {
  text: string;
  /** Bytes that were left out. */
  left: number;
}

export type LineShortener = ReturnType<typeof createLineShortener>;

interface Frame {
  list: boolean;
  /** No value is kept in it when so many are kept in all. */
  limit: number;
  empty: boolean;
}

interface Text {
  key: boolean;
  kept: boolean;
  /** Bytes that may still be kept. */
  room: number;
  whole: boolean;
  from: number;
  left: number;
}

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

const [COMMA, COLON] = [0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const MAX_LITERAL = 256;
const MIN_TEXT = 64;
/** The fields in which pictures and documents are said. */
const WHOLE = [Buffer.from('"data"'), Buffer.from('"url"')];

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;
const isOpening = (byte: number): boolean => byte === OPEN_LIST || byte === OPEN_OBJECT;
const isClosing = (byte: number): boolean => byte === CLOSE_LIST || byte === CLOSE_OBJECT;
const isLiteral = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45;

export const leftOut = (bytes: number): string => `(… ${bytes} bytes left out …)`;
const TOO_DEEP = JSON.stringify("(… left out: nested too deep …)");

/** Reads a line of JSON as it comes, byte by byte, and keeps of it what fits the limits: no line needs more memory or time at once. */
export function createLineShortener(limits: ShortenLimits = SHORTEN_LIMITS) {
  const out = new OutputBytes();
  const frames: Frame[] = [];
  let expected: Expected = "value";
  let kept = 0;
  let left = 0;
  let used = 0;
  let broken = false;
  let wholeNext = false;
  let text: Text | undefined;
  let escaped: number[] = [];
  /** Bytes of a number or a word so far. */
  let literal = 0;
  /** How deep within something that is left out. */
  let dropping = 0;
  /** Whether that is the rest of something that is kept. */
  let rest = false;

  const top = (): Frame | undefined => frames.at(-1);
  const hasRoom = (): boolean => kept < (top()?.limit ?? 1);

  const separate = (): void => {
    const frame = top();
    if (frame && !frame.empty) out.add(COMMA);
    if (frame) frame.empty = false;
  };
  const afterValue = (): void => {
    expected = frames.length === 0 ? "nothing" : "comma or end";
  };

  const beginText = (key: boolean, keep: boolean): void => {
    const whole = !key && wholeNext;
    const free = Math.max(MIN_TEXT, limits.total - used);
    const room = whole ? Math.min(free, limits.whole) : Math.min(Math.ceil(free / 2), limits.text);
    text = { key, kept: keep, room, whole, from: out.length, left: 0 };
    if (keep) out.add(QUOTE);
  };

  const addToText = (bytes: Buffer, from: number, to: number): void => {
    if (!text) return;
    const fits = text.kept && text.left === 0;
    const all = fits && to - from <= text.room;
    // The end of what fits is not within an escaped.
    const end = all ? to : fits && !text.whole ? textEnd(bytes, from, from + text.room) : from;
    if (end > from) out.append(bytes, from, end);
    text.room -= end - from;
    used += end - from;
    text.left += to - end;
  };

  const endText = (): void => {
    if (!text) return;
    const { key, kept: keep, whole, from } = text;
    if (keep && text.left > 0) {
      if (whole) {
        text.left += out.length - from - 1;
        out.cutTo(from + 1);
      } else text.left += out.trimCharacter();
      out.addText(`${whole ? "" : "\\n"}${leftOut(text.left)}`);
    }
    left += text.left;
    if (keep) out.add(QUOTE);
    if (key && keep) wholeNext = WHOLE.some((name) => out.endsWith(name, from));
    text = undefined;
    if (dropping > 0) return;
    if (key) expected = "colon";
    else afterValue();
  };

  const beginValue = (byte: number): void => {
    const frame = top();
    if (frame?.list) separate();
    kept += 1;
    if (byte === QUOTE) beginText(false, true);
    else if (isOpening(byte) && frames.length === limits.depth) {
      out.addText(TOO_DEEP);
      dropping = 1;
      rest = false;
      left += 1;
    } else if (isOpening(byte)) {
      const limit = frame ? kept + Math.floor((frame.limit - kept) / 2) : limits.values;
      frames.push({ list: byte === OPEN_LIST, limit, empty: true });
      out.add(byte);
      expected = byte === OPEN_LIST ? "value or end" : "key or end";
    } else if (isLiteral(byte)) addToLiteral(byte);
    else broken = true;
  };

  const addToLiteral = (byte: number): void => {
    out.add(byte);
    literal += 1;
    if (literal > MAX_LITERAL) broken = true;
  };

  const endLiteral = (): void => {
    literal = 0;
    afterValue();
  };

  const close = (byte: number): void => {
    const frame = frames.pop();
    if (frame?.list !== (byte === CLOSE_LIST)) broken = true;
    out.add(byte);
    afterValue();
  };

  /** Passes over what is left out; gives where it stopped. */
  const drop = (bytes: Buffer, from: number): number => {
    let at = from;
    let byte = 0;
    while (dropping > 0 && at < bytes.length && byte !== QUOTE) {
      byte = bytes[at++] ?? 0;
      if (isOpening(byte)) dropping += 1;
      else if (isClosing(byte)) dropping -= 1;
    }
    left += at - from;
    if (dropping === 0 && rest) close(byte);
    else if (dropping === 0) afterValue();
    else if (byte === QUOTE) beginText(false, false);
    return at;
  };

  /** The list or object has all that it may have: the rest of it is left out. */
  const dropRest = (bytes: Buffer, at: number): number => {
    dropping = 1;
    rest = true;
    return drop(bytes, at);
  };

  /** Takes what stands between texts and numbers; gives where it stopped. */
  const structure = (bytes: Buffer, at: number): number => {
    const byte = bytes[at] ?? 0;
    const value = expected === "value" || expected === "value or end";
    if (isClosing(byte) && expected.endsWith("or end")) close(byte);
    else if (value && top()?.list && !hasRoom()) return dropRest(bytes, at);
    else if (value) beginValue(byte);
    else if ((expected === "key" || expected === "key or end") && byte === QUOTE) {
      if (!hasRoom()) return dropRest(bytes, at);
      separate();
      beginText(true, true);
    } else if (expected === "colon" && byte === COLON) {
      out.add(COLON);
      expected = "value";
    } else if (expected === "comma or end" && byte === COMMA) expected = top()?.list ? "value" : "key";
    else broken = true;
    return at + 1;
  };

  const readEscape = (byte: number): void => {
    escaped.push(byte);
    if (escaped.length < (escaped[1] === U ? 6 : 2)) return;
    addToText(Buffer.from(escaped), 0, escaped.length);
    escaped = [];
  };

  /** Takes a stretch of a text; gives where it stopped. */
  const readText = (bytes: Buffer, at: number, marks: Marks): number => {
    if (escaped.length > 0) {
      readEscape(bytes[at] ?? 0);
      return at + 1;
    }
    const stop = textEnd(bytes, at, bytes.length, marks);
    if (stop > at) addToText(bytes, at, stop);
    if (stop === bytes.length) return stop;
    if (bytes[stop] === BACKSLASH) escaped = [BACKSLASH];
    else endText();
    return stop + 1;
  };

  return {
    push(bytes: Buffer): void {
      const marks = new Marks(bytes);
      for (let at = 0; at < bytes.length && !broken; ) {
        if (text) {
          at = readText(bytes, at, marks);
          continue;
        }
        if (dropping > 0) {
          at = drop(bytes, at);
          continue;
        }
        const byte = bytes[at] ?? 0;
        if (literal > 0 && isLiteral(byte)) addToLiteral(byte);
        else {
          if (literal > 0) endLiteral();
          if (!isSpace(byte)) {
            at = structure(bytes, at);
            continue;
          }
        }
        at += 1;
      }
    },
    /** The line with its long texts and lists cut, as JSON; undefined when it was none. */
    end(): Shortened | undefined {
      if (literal > 0) endLiteral();
      if (broken || text || dropping > 0 || expected !== "nothing") return undefined;
      return { text: out.text(0, out.length), left };
    },
  };
}
