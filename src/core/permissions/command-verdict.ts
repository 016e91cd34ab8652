import type { PermissionRule } from "../events/values.ts";
import type { CommandPart } from "./command-part.ts";
import type { FilePart } from "./file-part.ts";
import { fileVerdict } from "./file-verdict.ts";
import { fitsAll, literalStart, matches, mightMatch } from "./glob.ts";
import { type Part, partsOf } from "./parts.ts";

export type Verdict = PermissionRule["verdict"];
/** `doubt`: it is asked, whatever was granted before. */
type PartVerdict = Verdict | "doubt";

/** The rules for an action. Those before the last one that fits everything can never be the last that fits. */
function rulesAbout(rules: readonly PermissionRule[], action: string): PermissionRule[] {
  const about = rules.filter((rule) => matches(rule.action, action));
  const last = about.findLastIndex(({ pattern }) => fitsAll(pattern));
  return last < 0 ? about : about.slice(last);
}

/** Whether a pattern allows a command for certain: it fits, and spells out what it must. */
function permits(pattern: string, { text, spelled }: CommandPart): boolean {
  return pattern === text || (matches(pattern, text) && literalStart(pattern).length >= spelled);
}

/** Whether rules deny files that the shell opens: `*` for reads is about the tool that reads. */
function deniesFiles(rules: readonly PermissionRule[]): boolean {
  const reads = rulesAbout(rules, "read").filter(({ pattern }) => !fitsAll(pattern));
  return [...rulesAbout(rules, "edit"), ...reads].some(({ verdict }) => verdict === "deny");
}

/** Whether a command that everything is allowed for may do what a rule denies, without a word of it. */
function mayPass(rules: readonly PermissionRule[], files: boolean, { hidden, opaque }: CommandPart): boolean {
  return (hidden && rules.some(({ verdict }) => verdict !== "allow")) || (opaque && files);
}

/** `files`: some are denied. */
function commandVerdict(rules: readonly PermissionRule[], files: boolean, part: CommandPart): PartVerdict {
  const texts = [part.text, ...part.also];
  let doubt = false;
  for (const { pattern, verdict } of rules.toReversed()) {
    if (fitsAll(pattern)) {
      if (verdict === "allow") doubt ||= mayPass(rules, files, part);
      if (part.told) break;
    } else if (verdict === "allow") {
      if (!permits(pattern, part)) continue;
    } else if (!texts.some((text) => matches(pattern, text))) {
      doubt ||= texts.some((text) => mightMatch(pattern, text));
      continue;
    }
    return doubt && verdict !== "deny" ? "doubt" : verdict;
  }
  if (doubt) return "doubt";
  return part.told ? "allow" : "ask";
}

/** A file that the shell writes for a command is an edit; one that it reads is denied only by a rule that names the file. */
function redirectionVerdict(
  rules: readonly PermissionRule[],
  commands: readonly PermissionRule[],
  part: FilePart,
): PartVerdict {
  if (part.kind === "read") {
    const named = rulesAbout(rules, "read").filter(({ pattern }) => !fitsAll(pattern));
    const verdict = fileVerdict(named, part.paths);
    return verdict === "deny" || verdict === "doubt" ? verdict : "allow";
  }
  const everything = commands[0]?.verdict === "allow" && fitsAll(commands[0].pattern);
  return fileVerdict(rulesAbout(rules, "edit"), part.paths) ?? (everything ? "allow" : "ask");
}

/** The whole line may be allowed or denied without a look at it. */
function sweeping(rules: readonly PermissionRule[], commands: readonly PermissionRule[]): Verdict | undefined {
  const [first] = commands;
  if (!first || !fitsAll(first.pattern) || commands.some(({ verdict }) => verdict !== first.verdict)) return undefined;
  if (first.verdict !== "allow") return first.verdict;
  const files = [...rulesAbout(rules, "edit"), ...rulesAbout(rules, "read")];
  return files.some(({ verdict }) => verdict === "deny") ? undefined : "allow";
}

/**
 * A line of shell is denied if any command or file in it is, and allowed only if all are and nothing is in doubt. `granted` says what a
 * person has allowed for good: that answers what rules leave open.
 */
export function lineVerdict(
  rules: readonly PermissionRule[],
  { action, line, directory }: { action: string; line: string; directory: string },
  granted: (part: Part) => boolean = () => false,
): Verdict {
  const commands = rulesAbout(rules, action);
  const swept = sweeping(rules, commands);
  if (swept !== undefined && swept !== "ask") return swept;
  const { parts, doubt } = partsOf(line, directory);
  const files = deniesFiles(rules);
  const verdicts = parts.map((part) => {
    const verdict =
      part.kind === "command" ? commandVerdict(commands, files, part) : redirectionVerdict(rules, commands, part);
    return verdict === "ask" && granted(part) ? "allow" : verdict;
  });
  if (verdicts.includes("deny")) return "deny";
  return doubt === undefined && verdicts.length > 0 && verdicts.every((verdict) => verdict === "allow")
    ? "allow"
    : "ask";
}
