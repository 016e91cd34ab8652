import { crc32, deflateSync } from "node:zlib";

// The console's icon, drawn once for SVG and PNG: two lines of talk, one from each side.

interface Block {
  x: number;
  y: number;
  width: number;
  height: number;
  radius: number;
  colour: string;
}

/** The side of the square that the blocks are measured in. */
const SIDE = 64;

/** A maskable icon may lose its corners: everything but the ground is well inside. */
const BLOCKS: readonly Block[] = [
  { x: 0, y: 0, width: SIDE, height: SIDE, radius: 0, colour: "#1d3a5f" },
  { x: 14, y: 17, width: 26, height: 12, radius: 6, colour: "#ffffff" },
  { x: 24, y: 35, width: 26, height: 12, radius: 6, colour: "#8fc7ff" },
];

export function iconSvg(): string {
  const blocks = BLOCKS.map(
    ({ x, y, width, height, radius, colour }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}">${blocks.join("")}</svg>\n`;
}

function holds({ x, y, width, height, radius }: Block, px: number, py: number): boolean {
  if (px < x || py < y || px >= x + width || py >= y + height) return false;
  const dx = Math.max(x + radius - px, px - (x + width - radius), 0);
  const dy = Math.max(y + radius - py, py - (y + height - radius), 0);
  return dx * dx + dy * dy <= radius * radius;
}

/** Each pixel is looked at so often in each direction, for smooth edges. */
const SAMPLES = 3;

function pixel(size: number, column: number, row: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < SAMPLES * SAMPLES; at++) {
    const px = ((column + ((at % SAMPLES) + 0.5) / SAMPLES) * SIDE) / size;
    const py = ((row + (Math.floor(at / SAMPLES) + 0.5) / SAMPLES) * SIDE) / size;
    const rgb = Number.parseInt(BLOCKS.findLast((block) => holds(block, px, py))?.colour.slice(1) ?? "0", 16);
    sum[0] += rgb >> 16;
    sum[1] += (rgb >> 8) & 255;
    sum[2] += rgb & 255;
  }
  return sum.map((one) => Math.round(one / (SAMPLES * SAMPLES))) as [number, number, number];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function iconPng(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let row = 0, at = 0; row < size; row++) {
    at++;
    for (let column = 0; column < size; column++) for (const value of pixel(size, column, row)) rows[at++] = value;
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk("IDAT", deflateSync(rows, { level: 9 }));
  return Buffer.concat([signature, chunk("IHDR", header), data, chunk("IEND", Buffer.alloc(0))]);
}
