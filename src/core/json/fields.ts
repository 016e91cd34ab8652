/** An object that came as JSON. Its shape is not known: newer versions of a program add fields, kinds and values. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsIn(holder: Fields, name: string): Fields {
  const value = holder[name];
  return isFields(value) ? value : {};
}

/** The objects of a list; other values in it are passed over. */
export function listIn(holder: Fields, name: string): Fields[] {
  const value = holder[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textIn(holder: Fields, name: string): string | undefined {
  const value = holder[name];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(holder: Fields, name: string): number | undefined {
  const value = holder[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The value of a text as JSON; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object of a shape that the caller knows; undefined for a value that is none. */
export function objectAs<T extends object>(value: unknown): T | undefined {
  return typeof value === "object" && value !== null ? (value as T) : undefined;
}

/** A type whose fields that may be undefined are optional instead. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that are not undefined, for objects whose absent fields must be absent. */
export function present<const T extends object>(fields: T): Present<T> {
  // A loop over keys costs a third of `Object.fromEntries`, and each event takes several of these calls.
  const all = fields as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(all)) if (all[key] !== undefined) found[key] = all[key];
  return found as Present<T>;
}

/** A value as a word. `String` throws for an object with names such as `toString`, which any program may send. */
export function wordOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
