/** Where a client is: after the event with this index of those that the log's event at this position became. */
export interface StreamCursor {
  position: number;
  index: number;
}

/** An index that stands for all events of a position. */
export const WHOLE = 999_999;

const SHAPE = /^(\d{1,15})-(\d{1,6})$/;

export function formatStreamCursor(position: number, index: number): string {
  return `${position}-${index}`;
}

/** Undefined for what is no cursor of ours: its owner gets a snapshot, as one without a cursor does. */
export function parseStreamCursor(text: string | undefined): StreamCursor | undefined {
  const match = text === undefined ? null : SHAPE.exec(text);
  return match ? { position: Number(match[1]), index: Number(match[2]) } : undefined;
}
