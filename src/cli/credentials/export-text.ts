import type { Credential } from "../../credentials/contract.ts";
import { exportLine, exportsOf, type Shell } from "../../credentials/export.ts";
import { CliError, usageError } from "../exit.ts";
import { safeLine } from "../output/safe-text.ts";
import { tell } from "../tell.ts";

export interface ExportWish {
  provider: string | undefined;
  now: number;
  shell: Shell;
  toPipe: boolean;
}

const REFUSED =
  "stdout is not a terminal, and --export writes secrets in plain text: a file or a program would get them.\n" +
  "If that is meant, say so with --to-pipe.";

function nothing(provider: string | undefined, all: readonly Credential[], left: number): CliError {
  const providers = [...new Set(all.map((one) => one.provider))].join(", ");
  if (providers === "") return new CliError("no credential was found: parley credentials says how each agent gets one");
  if (provider === undefined || left > 0) return new CliError("nothing can be exported");
  return new CliError(`no credential of ${safeLine(provider)} was found; there are: ${safeLine(providers, 500)}`);
}

/** The lines for a shell. Whatever is left out is named on stderr; its secret is not. */
export function exportText(all: readonly Credential[], { provider, now, shell, toPipe }: ExportWish): string {
  if (!process.stdout.isTTY && !toPipe) throw usageError(REFUSED);
  const { exported, leftOut } = exportsOf(all, now, provider);
  for (const { provider: of, kind, source, why } of leftOut) {
    tell(`left out: ${of} (${kind}) in ${safeLine(source.name, 500)}: ${why}`);
  }
  if (exported.length === 0) throw nothing(provider, all, leftOut.length);
  for (const { variable, source } of exported) tell(`${variable} is from ${safeLine(source.name, 500)}`);
  return exported.map((one) => `${exportLine(one, shell)}\n`).join("");
}
