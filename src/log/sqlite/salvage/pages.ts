import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The pages of a database file as they lie on the disk, with those of its write-ahead log over them. */
export interface Pages {
  /** Bytes of a page that hold data. */
  usable: number;
  count: number;
  page(number: number): Buffer | undefined;
  /** Free pages: rows that are found in them were deleted. */
  free: ReadonlySet<number>;
  close(): void;
}

const USUAL_SIZE = 4096;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** Relies on neither the header nor the checksums of the file, which may be damaged. */
export function openPages(file: string): Pages {
  const db = openSync(file, "r");
  const wal = openIfThere(`${file}-wal`);
  const header = read(db, 0, 100);
  const size = pageSize(header);
  // Parley reserves nothing at the end of a page.
  const usable = size;
  const newer = wal === undefined ? new Map<number, number>() : committedFrames(wal, size);
  let count = Math.ceil(fstatSync(db).size / size);
  for (const page of newer.keys()) count = Math.max(count, page);

  function page(number: number): Buffer | undefined {
    if (!Number.isSafeInteger(number) || number < 1 || number > count) return undefined;
    const frame = newer.get(number);
    const found =
      frame === undefined || wal === undefined ? read(db, (number - 1) * size, size) : read(wal, frame, size);
    return found.length === size ? found : undefined;
  }

  return {
    usable,
    count,
    page,
    free: freePages(page, count),
    close() {
      closeSync(db);
      if (wal !== undefined) closeSync(wal);
    },
  };
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch {
    return undefined;
  }
}

function read(fd: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, at));
}

function pageSize(header: Buffer): number {
  const stored = header.length >= 18 ? header.readUInt16BE(16) : 0;
  const size = stored === 1 ? 65536 : stored;
  return size >= 512 && (size & (size - 1)) === 0 ? size : USUAL_SIZE;
}

/** Where in the write-ahead log the newest committed image of each page is. */
function committedFrames(wal: number, size: number): Map<number, number> {
  const frames = new Map<number, number>();
  const header = read(wal, 0, WAL_HEADER);
  if (header.length < WAL_HEADER) return frames;
  const salt = header.subarray(16, 24);
  let open: [page: number, at: number][] = [];
  for (let at = WAL_HEADER; ; at += FRAME_HEADER + size) {
    const frame = read(wal, at, FRAME_HEADER);
    // Frames of an earlier use of the file have another salt.
    if (frame.length < FRAME_HEADER || !frame.subarray(8, 16).equals(salt)) return frames;
    open.push([frame.readUInt32BE(0), at + FRAME_HEADER]);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, place] of open) frames.set(page, place);
    open = [];
  }
}

function freePages(page: (number: number) => Buffer | undefined, count: number): Set<number> {
  const free = new Set<number>();
  let trunk = page(1)?.readUInt32BE(32) ?? 0;
  while (trunk > 1 && trunk <= count && !free.has(trunk)) {
    free.add(trunk);
    const found = page(trunk);
    if (!found) break;
    const leaves = Math.min(found.readUInt32BE(4), Math.floor(found.length / 4) - 2);
    for (let at = 0; at < leaves; at++) free.add(found.readUInt32BE(8 + at * 4));
    trunk = found.readUInt32BE(0);
  }
  return free;
}
