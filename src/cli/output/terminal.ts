export type Colour = "dim" | "red" | "green" | "yellow" | "cyan" | "bold";

export type Paint = (colour: Colour, text: string) => string;

const CODE: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export interface Stream {
  isTTY?: boolean;
  /** The size of a terminal. */
  rows?: number;
  columns?: number;
  write(text: string): unknown;
}

/** Colours are for terminals, and not for people who set NO_COLOR to anything. */
export function painter(stream: Stream, env: Readonly<Record<string, string | undefined>> = process.env): Paint {
  const colours = stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  return (colour, text) => (colours ? `\u001b[${CODE[colour]}m${text}\u001b[0m` : text);
}
