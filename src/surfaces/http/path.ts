const ENCODED = /(?:%[0-9a-f]{2})+/gi;

/** A text with its percent-encoding undone wherever that gives characters. */
function decoded(text: string, decode: (encoded: string) => string): string {
  return text.replaceAll(ENCODED, (encoded) => {
    try {
      return decode(encoded);
    } catch {
      return encoded;
    }
  });
}

/** The path of a request's target, as endpoints are found by it. What is encoded to be no part of it, such as a slash, stays so. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  // The percent sign itself is undone with the parameter that it is in.
  return path.includes("%") ? decoded(path.replaceAll("%25", "%2525"), decodeURI) : path;
}

/** A parameter of a path, as it was meant. */
export function paramDecoded(text: string): string {
  return text.includes("%") ? decoded(text, decodeURIComponent) : text;
}

/** The parameters of a target's query, in their order. One without a name means nothing. */
export function queryOf(target: string): [name: string, value: string][] {
  const [, query = ""] = /\?([^#]*)/.exec(target) ?? [];
  const meant = (text: string): string => paramDecoded(text.replaceAll("+", " "));
  return query.split("&").flatMap((pair) => {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    return name === "" ? [] : [[meant(name), meant(value)]];
  });
}
