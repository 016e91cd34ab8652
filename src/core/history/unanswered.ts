const MARK = "z0";

/** The id of the message that stands for the missing reply to a prompt. Clients sort by ids: it comes right behind the prompt. */
export function unansweredId(prompt: string): string {
  return `${prompt}${MARK}`;
}

/** The prompt that such an id is about. */
export function promptOfUnanswered(id: string): string | undefined {
  return id.endsWith(MARK) ? id.slice(0, -MARK.length) : undefined;
}
