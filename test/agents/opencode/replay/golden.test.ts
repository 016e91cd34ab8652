import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Fields, isFields, textIn } from "../../../../src/core/json/fields.ts";
import { HARD } from "../../../support/time.ts";
import { goldenSuite } from "../../replay/golden-suite.ts";
import { playAll } from "../../replay/replay.ts";
import { recordings, restAfter } from "./recordings.ts";
import { OpenCodeReplay } from "./replay.ts";
import { keptIn, toldIn } from "./transcript.ts";

/** Pieces of a text are told from each other by the stream, which leaves out an event that comes twice. */
const isPiece = (line: unknown): boolean => isFields(line) && line.type === "message.part.delta";

goldenSuite({
  agent: "opencode-agent",
  title: "OpenCode",
  count: 44,
  open: () => new OpenCodeReplay(),
  mayRepeat: ({ line }) => !isPiece(line),
});

/** The stream breaks after each event, or in `npm test` after each fourth. */
const STEP = HARD ? 1 : 4;

const names = recordings.names().filter((name) => restAfter(name)?.messages);

/** Hears nothing after so many events, until the stream is opened again at the end. */
class CutReplay extends OpenCodeReplay {
  private heard = 0;
  private readonly last: number;

  constructor(last: number) {
    super();
    this.last = last;
  }

  override arrives(event: Fields): boolean {
    return textIn(event, "type") !== undefined && this.heard++ < this.last;
  }

  override end(): this {
    this.reconnect();
    return super.end();
  }
}

describe("the transcript", () => {
  for (const name of names)
    test(`of ${name} is the one that OpenCode keeps`, () => {
      const played = playAll(new OpenCodeReplay(), recordings.read(name));
      assert.deepEqual(toldIn(played.root.events), keptIn(restAfter(name)?.messages ?? []));
    });

  for (const name of names)
    test(`of ${name} is the same wherever the stream breaks`, () => {
      const lines = recordings.read(name);
      const whole = playAll(new OpenCodeReplay(), lines);
      const children = (played: OpenCodeReplay): unknown =>
        [...played.children].map(([id, { world }]) => [id, toldIn(world.events)]);
      const ends = (played: OpenCodeReplay): unknown[] => played.root.of("turn.ended").map(({ data }) => data.reason);
      for (let last = 0; last < lines.length; last += STEP) {
        const cut = playAll(new CutReplay(last), lines);
        const where = `${name} after ${last} events`;
        for (const world of cut.worlds()) assert.deepEqual(world.broken(), [], where);
        assert.deepEqual(toldIn(cut.root.events), toldIn(whole.root.events), where);
        assert.deepEqual(ends(cut), ends(whole), where);
        assert.deepEqual(children(cut), children(whole), where);
      }
    });
});
