const MARK = "z0";

/** The id of what stands for the answer to a prompt that got none: clients sort by ids, and it comes right behind it. */
export function unansweredId(prompt: string): string {
  return `${prompt}${MARK}`;
}

/** The prompt that such an id is about. */
export function promptOfUnanswered(id: string): string | undefined {
  return id.endsWith(MARK) ? id.slice(0, -MARK.length) : undefined;
}
