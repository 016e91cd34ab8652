/** Values of agents and clients may be nested this deep: a deeper value could be read, but not written again. */
export const MAX_DEPTH = 256;

/** Whether a value that was read from JSON is nested deeper than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((one) => isDeeper(one, levels - 1));
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
