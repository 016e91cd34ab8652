const { readFileSync } = process.getBuiltinModule("node:fs");

/** `import … from "…"`, `export … from "…"` and `import "…"`; imports of types alone are gone when the program runs. */
const NEEDED = /^(?:import|export) (?!type )(?:[^"';]*? from )?"([^"]+)";$/gm;
const LATE = /\bimport\("([^"]+)"\)/g;
/** An importer sees such an export change; it would not see a copy of the value change. */
const CHANGES = /^export (?:let|var) /m;

const importedBy = (text, form) =>
  [...text.matchAll(form)].map(([, specifier]) => specifier).filter((specifier) => !specifier.startsWith("node:"));

/**
 * The sources that modules need before they run, each by its address with its text, and the addresses of those that are
 * imported later. Undefined where they cannot be put into one file: one imports a package, looks for files beside it in
 * another folder than `home`, or exports what changes.
 */
export function readSources(roots, home) {
  const texts = new Map(roots.map((root) => [root, ""]));
  const late = new Set();
  for (const url of texts.keys()) {
    const text = readFileSync(new URL(url), "utf8");
    texts.set(url, text);
    const needed = importedBy(text, NEEDED);
    const later = importedBy(text, LATE);
    if ([...needed, ...later].some((specifier) => !specifier.startsWith(".")) || CHANGES.test(text)) return undefined;
    if (text.includes("import.meta") && new URL(".", url).href !== home) return undefined;
    for (const specifier of later) late.add(new URL(specifier, url).href);
    for (const { href } of needed.map((specifier) => new URL(specifier, url))) {
      if (!texts.has(href)) texts.set(href, "");
    }
  }
  return { texts, late: [...late].filter((url) => !texts.has(url)) };
}
