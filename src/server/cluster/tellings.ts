import type { Logger } from "../../core/logger.ts";

/** So many words wait for a node that does not answer; then the oldest are dropped. */
const MOST = 1_000;

export interface TellingsOptions<Word> {
  /** The addresses of the other nodes now. */
  addresses(): readonly string[];
  send(address: string, words: readonly Word[]): Promise<void>;
  logger: Logger;
}

/** Words for all other nodes, each in order. A node that cannot be reached misses what was said meanwhile. */
export class Tellings<Word> {
  private readonly options: TellingsOptions<Word>;
  private readonly waiting = new Map<string, Word[]>();

  constructor(options: TellingsOptions<Word>) {
    this.options = options;
  }

  tell(word: Word): void {
    for (const address of this.options.addresses()) {
      const words = this.waiting.get(address);
      if (words) words.push(word);
      else void this.send(address, word);
      if (words && words.length > MOST) words.shift();
    }
  }

  private async send(address: string, first: Word): Promise<void> {
    const { send, logger } = this.options;
    const words: Word[] = [first];
    this.waiting.set(address, words);
    try {
      // Words that are said in one go are sent in one.
      await undefined;
      while (words.length > 0) await send(address, words.splice(0));
    } catch (error) {
      logger.debug({ address, err: error }, "a node was not told what clients may see at once");
    } finally {
      this.waiting.delete(address);
    }
  }
}
