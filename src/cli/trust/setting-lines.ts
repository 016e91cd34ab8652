import type { TrustInfo } from "../../client/index.ts";
import { shownSettings } from "../../core/trust.ts";
import { safeLine } from "../output/safe-text.ts";

const MAX_LINES = 20;
const WIDTH = 300;

/** The settings that a project brings, a line each, in words that no terminal obeys. */
export function settingLines(settings: TrustInfo["settings"]): string[] {
  const lines = settings.map((setting) => `  ${safeLine(shownSettings([setting]), WIDTH)}  [${setting.agent}]`);
  const more = lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : [];
  return [...lines.slice(0, MAX_LINES), ...more];
}
