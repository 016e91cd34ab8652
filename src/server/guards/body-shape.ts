import { ParleyError } from "../../core/errors.ts";
import { MAX_DEPTH } from "../../core/json/depth.ts";

/** Values in a body: those of a prompt with attachments are a few dozen. Each costs time when it is read, checked and stored. */
const MAX_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function refused(what: string): ParleyError {
  return new ParleyError("too_large", `expected a body of at most ${what}, got more: send less`);
}

/** Where a text ends that begins at a quote: a quote after an odd number of backslashes is part of it. */
function afterText(body: Buffer, from: number): number {
  for (let at = body.indexOf(QUOTE, from + 1); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return body.length;
}

/** Looks at the form of a JSON body before anything costly is done with it: one of nothing but brackets would hold up everybody. */
export function checkShape(body: Buffer): ParleyError | undefined {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < body.length; ) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = afterText(body, at);
      continue;
    }
    at += 1;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) return refused(`${MAX_DEPTH} levels of lists and objects`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > MAX_VALUES) return refused(`${MAX_VALUES} values`);
  }
  return undefined;
}
