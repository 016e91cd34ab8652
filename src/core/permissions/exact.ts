/** In what is granted `*` stands for anything, so a star that is meant as such must not become one; `…` once did, too. */
export function exact(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("*", "%2A").replaceAll("…", "%E2%80%A6");
}
