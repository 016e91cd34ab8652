import { EACH, weightOf } from "./weight.ts";

/**
 * The JSON of a value that came as JSON, as `JSON.stringify` makes it, in pieces of about `size` characters at most (16 or more): no
 * piece takes long. None ends within a character.
 */
export function* jsonPieces(value: unknown, size: number): Generator<string, void> {
  if (weightOf(value, size) <= size) yield JSON.stringify(value);
  else if (typeof value === "string") yield* textPieces(value, size);
  else if (Array.isArray(value)) yield* listPieces(value, size);
  else yield* objectPieces(value as Record<string, unknown>, size);
}

function* textPieces(text: string, size: number): Generator<string, void> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const to = wholeCharacter(text, from + size);
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** The index, or the next one where it is within a character of two units. */
function wholeCharacter(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index + 1 : index;
}

function* listPieces(list: readonly unknown[], size: number): Generator<string, void> {
  let [before, light, weight] = ["[", [] as unknown[], 0];
  const taken = (): string => {
    const text = before + JSON.stringify(light).slice(1, -1);
    [before, light, weight] = [",", [], 0];
    return text;
  };
  for (const one of list) {
    const more = weightOf(one, size);
    if (light.length > 0 && weight + more > size) yield taken();
    if (more > size) {
      yield before;
      yield* jsonPieces(one, size);
      before = ",";
    } else {
      light.push(one);
      weight += more;
    }
  }
  if (light.length > 0) yield taken();
  yield "]";
}

function* objectPieces(fields: Record<string, unknown>, size: number): Generator<string, void> {
  let [before, light, weight] = ["{", emptyFields(), 0];
  const taken = (): string => {
    const text = JSON.stringify(light).slice(1, -1);
    [light, weight] = [emptyFields(), 0];
    if (text === "") return "";
    const separated = before + text;
    before = ",";
    return separated;
  };
  for (const [name, one] of Object.entries(fields)) {
    const more = name.length + weightOf(one, size);
    if (weight > 0 && weight + more > size) yield taken();
    if (more - name.length > size) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(one, size);
      before = ",";
    } else {
      light[name] = one;
      weight += more + EACH;
    }
  }
  if (weight > 0) yield taken();
  yield before === "{" ? "{}" : "}";
}

/** Without a prototype, so that every name is one of its own. */
const emptyFields = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;
