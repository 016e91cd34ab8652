/** The shell lines of a page: those that are indented as code, without their remarks. */
export function shellLines(page: string): string[] {
  const prose = page.replaceAll(/^```.*?^```/gms, "");
  return [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = ""]) => line.replace(/\s{2,}#.*$/, "").trim());
}

/** The programs of a page that say in their first line under which name they are to be kept. */
export function programs(page: string): { name: string; text: string }[] {
  const blocks = [...page.matchAll(/^```js\n\/\/ (\S+\.mjs)\n(.*?)^```/gms)];
  return blocks.map(([, name = "", text = ""]) => ({ name, text }));
}

export type Step = { line: string } & (
  | { does: "serve"; command: string }
  | { does: "run"; command: string; expect: RegExp }
  | { does: "nothing"; because: string }
);

/** How each line of the README is run from the installed package. A line that no rule knows is a mistake. */
const RULES: readonly [line: RegExp, toStep: (line: string) => Omit<Step, "line">][] = [
  [/^npm start$/, () => ({ does: "serve", command: "parley serve" })],
  [/^npm test$/, () => ({ does: "nothing", because: "the tests are in a checkout only" })],
  [/^acpx /, () => ({ does: "nothing", because: "acpx is a program of others; test/real/acp-clients runs the line" })],
  [/^\.\/parley run --agent "acp:my-agent/, () => ({ does: "nothing", because: "my-agent is the reader's program" })],
  // Nobody sits at a terminal here: the question is answered ahead.
  [/^\.\/parley run /, (line) => ({ does: "run", command: `${line.slice(2)} --yes`, expect: /README\.md/ })],
  [/^\.\/parley console$/, () => ({ does: "run", command: "parley console --print", expect: /\/console\/#enter=/ })],
  [/^\.\/parley opencode\b/, () => ({ does: "run", command: "parley opencode --help", expect: /terminal interface/ })],
  [/^PARLEY_TOKEN=.* node hello\.mjs$/, (line) => ({ does: "run", command: line, expect: /You said: Say hello/ })],
  [/^mkdir /, (line) => ({ does: "run", command: line, expect: /^$/ })],
];

export function stepsOf(lines: readonly string[]): Step[] {
  return lines.map((line) => {
    const [, toStep] = RULES.find(([pattern]) => pattern.test(line)) ?? [];
    if (!toStep) {
      throw new Error(`expected a line of the README that scripts/release/readme-lines.ts knows, got: ${line}`);
    }
    return { line, ...toStep(line) } as Step;
  });
}
