const BUILT_IN = /^import (?!type )([^;]*?) from "(node:[\w/]+)";$/gm;

/** The names of an import, as they are taken from an object: `{ a, type B, c as d }` becomes `{ a, c: d }`. */
function pattern(taken: string): string {
  if (!taken.startsWith("{")) return taken.replace(/^\* as /, "");
  const names = taken
    .slice(1, -1)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
  return `{ ${names.map((name) => name.replace(" as ", ": ")).join(", ")} }`;
}

/**
 * Node's own modules without an `import` of them: that reads every export, and so loads what only a few of them need.
 * Lines stay where they are.
 */
export function withoutFacades(text: string): string {
  return text.replaceAll(BUILT_IN, (whole, taken: string, name: string) => {
    const lines = "\n".repeat(whole.split("\n").length - 1);
    return `const ${pattern(taken)} = process.getBuiltinModule("${name}");${lines}`;
  });
}

/** A module that looks for files beside it finds them where its own file would be, had it stayed one. */
export function withPlace(text: string, place: string): string {
  return text.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
}

/** By its own name each part of zod is seen to be used or not; the object `z` has all of them, with the words of fifty languages. */
export function withParts(text: string): string {
  return text.replaceAll(/^import \{ z \} from "(zod(?:\/v4)?)";$/gm, 'import * as z from "$1";');
}

/** Node's own modules in CommonJS, which a bundle of ECMAScript modules has no `require` for. */
export function withoutRequire(text: string): string {
  return text.replaceAll(/\brequire\(["']((?:node:)?(?:fs|os|path))["']\)/g, 'process.getBuiltinModule("$1")');
}

const LATE = /\bimport\("(\.[^"]+)"\)/g;

/** Late imports of modules that are loaded by then, without a file of their own: Node needs a millisecond and more for one. */
export function withAtHand(text: string, isAtHand: (path: string) => boolean): string {
  const found = new Map<string, string>();
  const near = text.replaceAll(LATE, (whole, path: string) => {
    if (!isAtHand(path)) return whole;
    const name = found.get(path) ?? `atHand${found.size}`;
    found.set(path, name);
    return `Promise.resolve(${name})`;
  });
  const imports = [...found].map(([path, name]) => `import * as ${name} from "${path}";`);
  return imports.length === 0 ? text : `${near}${imports.join(" ")}\n`;
}
