/** The user agent of OpenCode's own programs: its terminal interface and its `run`. */
const OWN_PROGRAM = /^opencode\//;

/**
 * Browsers and OpenCode's own programs show questions to a person. Its `run` is one of them, and forbids questions by rules of its session. A
 * program that uses the SDK may wait for its answer and never look at a question.
 */
const SHOWS_QUESTIONS = /^(opencode|Mozilla)\//;

export function isOpencodeProgram(userAgent: string | undefined): boolean {
  return OWN_PROGRAM.test(userAgent ?? "");
}

/** Whether a prompt's client can answer questions; undefined where it cannot. */
export function attendedBy(userAgent: string | undefined): true | undefined {
  return SHOWS_QUESTIONS.test(userAgent ?? "") || undefined;
}
