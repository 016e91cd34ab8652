/** The ways in which a file may be sent, the smallest first. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

interface Wanted {
  name: string;
  weight: number;
}

function wantedIn(header: string): Wanted[] {
  return header.split(",").map((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const given = parameters.find((text) => text.startsWith("q="));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    return { name, weight: Number.isNaN(weight) ? 0 : weight };
  });
}

/** The coding to send a file in, of those that there are; undefined for the file as it is. */
export function chooseCoding(header: string | undefined, have: readonly Coding[]): Coding | undefined {
  const wanted = wantedIn(header ?? "");
  const weightOf = (coding: Coding): number =>
    (wanted.find(({ name }) => name === coding) ?? wanted.find(({ name }) => name === "*"))?.weight ?? 0;
  return CODINGS.filter((coding) => have.includes(coding) && weightOf(coding) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  )[0];
}

/** Whether a client has the file already, by the tags that it names. */
export function hasTag(header: string | undefined, tag: string): boolean {
  const named = (header ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return named.includes(tag) || named.includes("*");
}
