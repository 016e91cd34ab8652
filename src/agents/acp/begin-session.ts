import { setTimeout as delay } from "node:timers/promises";
import type { SessionSignal, Signal } from "../../core/ledger/signals.ts";
import type { OpenOptions } from "../contract.ts";
import { choicesOf, factsOf } from "./choices.ts";
import type { Decoder } from "./decode/decoder.ts";
import { type Peer, shakeHands } from "./handshake.ts";
import { leftOutNote } from "./mcp-servers.ts";
import { openSession } from "./open-session.ts";
import { type Chooser, setChoice } from "./set-choice.ts";
import type { Updates } from "./updates.ts";

const PAST_QUIET_MS = 100;

interface Beginning {
  open: OpenOptions;
  /** How a person logs in. */
  login: string | undefined;
  chooser: Chooser;
  decoder: Decoder;
  updates: Updates;
  isGone(): boolean;
  say(signals: readonly Signal[]): void;
  /** The program has said what it can do. */
  onPeer(peer: Peer): void;
}

/** Opens the session with a program that has just been started, and puts its choices in force. Resolves with the session's facts. */
export async function beginSession(beginning: Beginning): Promise<SessionSignal> {
  const { open, login, chooser, decoder, updates, say, onPeer } = beginning;
  const { model, mode, options } = open;
  try {
    const peer = await shakeHands(chooser.rpc);
    onPeer(peer);
    const { id, resumed, leftOut } = await openSession(chooser.rpc, peer, open, login, {
      loads: () => say(decoder.beginPast(open.tellPast === true)),
      opened: (session, again, result) => {
        // At once: the program may change its choices with the next line.
        Object.assign(chooser, { session, isResumed: again, choices: choicesOf(result) });
        updates.choicesTold(!again);
        if (!again) decoder.isNew();
      },
    });
    if (decoder.isPast) await untilQuiet(beginning);
    leavePast(beginning);
    const chosen = { ...(model ? { model } : {}), ...(mode ? { mode } : {}), ...(options ? { options } : {}) };
    await setChoice(chooser, chosen);
    say(leftOutNote(leftOut));
    return { ...factsOf(chooser.choices), nativeId: id, ...(resumed ? { resume: "resumed" as const } : {}) };
  } finally {
    leavePast(beginning);
  }
}

/** Some programs answer first and tell the conversation after that: it is over when nothing more comes. */
async function untilQuiet({ updates, isGone }: Beginning): Promise<void> {
  for (let heard = -1; heard !== updates.count && !isGone(); ) {
    heard = updates.count;
    await delay(PAST_QUIET_MS);
  }
}

/** A past that was begun is ended, whatever happens: nothing would be heard of the session otherwise. */
export function leavePast({ decoder, say }: Pick<Beginning, "decoder" | "say">): void {
  if (decoder.isPast) say(decoder.endPast());
}
