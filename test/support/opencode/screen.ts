import xterm, { type IBufferLine } from "@xterm/headless";
import { deadline } from "../time.ts";

const GREY = "rgb:2020/2020/2020";

/** The screen of a terminal, and those who wait for it to show something. */
export class Screen {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #watchers = new Set<() => void>();
  #ended: string | undefined;

  /** `answer` takes what the terminal itself says: programs ask it for the cursor's place, its colours, its abilities. */
  constructor(cols: number, rows: number, answer: (data: string) => void) {
    this.#terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 0 });
    this.#terminal.onData(answer);
    this.#answerColours(answer);
  }

  /** The headless terminal has no colours of its own, and a program that asks for some waits seconds for the answer. */
  #answerColours(answer: (data: string) => void): void {
    const { parser } = this.#terminal;
    for (let code = 10; code <= 19; code++) {
      parser.registerOscHandler(code, (asked) => {
        if (asked === "?") answer(`\u001b]${code};${GREY}\u0007`);
        return true;
      });
    }
    parser.registerOscHandler(4, (asked) => {
      for (const [, index] of asked.matchAll(/(\d+);\?/g)) answer(`\u001b]4;${index};${GREY}\u0007`);
      return true;
    });
  }

  write(data: string): void {
    this.#terminal.write(data, () => {
      for (const look of [...this.#watchers]) look();
    });
  }

  /** Ends the screen when its last output is drawn. */
  end(why: string): void {
    this.#terminal.write("", () => {
      this.#ended = why;
      for (const look of [...this.#watchers]) look();
    });
  }

  /** The terminal itself, for its colours and its cursor. */
  get terminal(): InstanceType<typeof xterm.Terminal> {
    return this.#terminal;
  }

  /** What is shown. Lines that the terminal wrapped are whole again, so that the length of a path changes no test. */
  text(): string {
    return this.#lines((row) => row.isWrapped).join("\n");
  }

  /** What is shown, a line for each row of the terminal. */
  rows(): string[] {
    return this.#lines(() => false);
  }

  #lines(continues: (row: IBufferLine) => boolean): string[] {
    const { active } = this.#terminal.buffer;
    // A program that draws the whole screen may fill a row and mean the next one.
    const mayContinue = active.type === "normal";
    const lines: string[] = [];
    for (let at = 0; at < this.#terminal.rows; at++) {
      const row = active.getLine(active.viewportY + at);
      const shown = row?.translateToString() ?? "";
      if (mayContinue && row && continues(row) && lines.length > 0) lines.push(`${lines.pop()}${shown}`);
      else lines.push(shown);
    }
    return lines.map((line) => line.trimEnd());
  }

  /** Resolves with the screen as soon as it fits; rejects with the last one. */
  until(what: string, fits: (text: string) => boolean, withinMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        late[Symbol.dispose]();
        this.#watchers.delete(look);
        settle();
      };
      const fail = (why: string): void =>
        done(() => reject(new Error(`the terminal does not show ${what}: ${why}\n${this.#framed()}`)));
      const look = (): void => {
        const text = this.text();
        if (fits(text)) done(() => resolve(text));
        else if (this.#ended !== undefined) fail(this.#ended);
      };
      const late = deadline(() => fail(`not within ${withinMs} ms`), withinMs);
      this.#watchers.add(look);
      look();
    });
  }

  #framed(): string {
    return this.rows()
      .map((line) => `│ ${line}`)
      .join("\n");
  }

  [Symbol.dispose](): void {
    this.#terminal.dispose();
  }
}
