import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import type { Logger } from "../../core/logger.ts";
import { look, NO_PROGRESS, type Progress, underWay } from "../../surfaces/stream/stall.ts";
import { parseTcpTable, remoteName } from "./tcp-table.ts";

export interface DeadPeersOptions {
  log: Logger;
  lookMs?: number;
}

/** Two looks 5 s apart: with a heartbeat every 15 s a peer that is gone is noticed within 45 s. */
const LOOK_MS = 5_000;
/** Sent again so often, and never confirmed: more than 6 s of silence on any network. */
const RESENT = 5;
/** Looks in a row without progress after which a peer that takes nothing is cut. */
const STILL_LOOKS = 6;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

interface Peer {
  progress: Progress;
  /** Looks in a row in which the system had its bytes sent again and again. */
  silent: number;
}

/**
 * Cuts connections whose other side has gone without a word. An idle one is found by the system's own probes; where bytes
 * are under way those stop, and the system goes on for a quarter of an hour: so its table is looked at. Where it has none
 * that can be read (anything but Linux), that quarter of an hour remains.
 */
export class DeadPeers {
  readonly #log: Logger;
  readonly #lookMs: number;
  readonly #peers = new Map<Socket, Peer>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor({ log, lookMs = LOOK_MS }: DeadPeersOptions) {
    this.#log = log;
    this.#lookMs = lookMs;
  }

  watch(socket: Socket): void {
    this.#peers.set(socket, { progress: NO_PROGRESS, silent: 0 });
    this.#timer ??= setInterval(() => void this.#look(), this.#lookMs).unref();
    socket.once("close", () => {
      this.#peers.delete(socket);
      if (this.#peers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const [first] = this.#peers.keys();
      const resent = await this.#resent(first?.localPort);
      for (const [socket, peer] of [...this.#peers]) this.#judge(socket, peer, resent);
    } finally {
      this.#looking = false;
    }
  }

  /** The peers to which the same bytes were sent again and again. */
  async #resent(port: number | undefined): Promise<ReadonlySet<string>> {
    if (port === undefined) return new Set();
    const tables = await Promise.all(TABLES.map((file) => readFile(file, "latin1").catch(() => "")));
    const entries = tables.flatMap((table) => parseTcpTable(table, port));
    return new Set(entries.filter(({ resent }) => resent >= RESENT).map(({ remote }) => remote));
  }

  #judge(socket: Socket, peer: Peer, resent: ReadonlySet<string>): void {
    const { remoteAddress = "", remotePort = 0, writableLength: pending } = socket;
    const gone = resent.has(remoteName(remoteAddress, remotePort));
    peer.silent = gone ? peer.silent + 1 : 0;
    const sent = socket.bytesWritten - pending;
    peer.progress = look(peer.progress, { pending, sent, underWay: underWay(socket) });
    if (peer.silent < 2 && peer.progress.still < STILL_LOOKS) return;
    const why = peer.silent < 2 ? "it takes nothing" : "it confirms nothing";
    this.#log.info({ remote: remoteAddress }, `a connection was cut: ${why}`);
    socket.destroy();
  }
}
