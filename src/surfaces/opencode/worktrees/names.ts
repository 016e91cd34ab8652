import { randomBytes } from "node:crypto";
import { slugOf } from "../projection/slug.ts";

const MAX_LENGTH = 60;
/** So many names are tried before it is given up. */
const TRIES = 26;

/** A name that is safe as a directory and as a branch; empty where nothing of it is left. */
export function safeName(wish: string): string {
  return wish
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "");
}

export function randomName(): string {
  return slugOf(randomBytes(16).toString("hex"));
}

/** Names to try, one after the other: the wish itself comes first. */
export function* namesFor(wish: string | undefined): Generator<string> {
  const name = safeName(wish ?? "");
  if (name !== "") yield name;
  for (let count = 1; count < TRIES; count++) yield name === "" ? randomName() : `${name}-${randomName()}`;
}
