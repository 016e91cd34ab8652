/** The script of a model that was given none. */
export const DEFAULT_SCRIPT = `
prompts:
  "*":
    - text: |-
        I am Parley's scripted model: I say what a script tells me, and need no key. You said: {{prompt}}
  reason:
    - reasoning: The prompt asks for thought, so I think first.
      text: I have thought, and here is the answer.
  slow:
    - pace: 200
      text: One word after the other, five in a second, so that there is time to look and to cancel.
  retry:
    - fail: { status: 429, retryAfter: 1, times: 2 }
      text: It worked at the third attempt.
  broken:
    - fail: { status: 400, message: This prompt always fails. }
`;
