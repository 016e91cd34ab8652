const SAFE = new Set(["http:", "https:", "mailto:"]);

/** The address of a link that a person may follow; undefined for every other, such as one that would run a script. */
export function safeHref(href: string): string | undefined {
  // Browsers pass over control characters and blanks in the name of a protocol.
  if (/[\p{Cc}\s]/u.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return SAFE.has(url.protocol) ? url.href : undefined;
}
