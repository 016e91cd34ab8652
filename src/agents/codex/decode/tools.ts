import type { Failure, FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { ToolDone, ToolSeen } from "../../../core/ledger/signals.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import { shellLine } from "./command-line.ts";
import { filesOf, pathsOf } from "./files.ts";

type Seen = Pick<ToolSeen, "name" | "title" | "input">;
type Done = Omit<ToolDone, "type" | "call">;

/** How a kind of item is told as a call of a tool. */
interface Kind {
  seen(item: Fields, directory: string): Seen;
  /** Absent: it is over as soon as the program says so, and has no output. */
  done?(item: Fields, directory: string): Done;
}

const REFUSED: Failure = { code: "rejected", message: "it was refused" };

/** The program's words for how a call ended, for those that did not end well. */
function failure(item: Fields, message: string): Failure | undefined {
  const status = textIn(item, "status");
  if (status === "declined") return REFUSED;
  return status === "failed" ? { code: "tool_failed", message } : undefined;
}

function ended(item: Fields, output: string, message: string): Done {
  const error = failure(item, message);
  return { ok: error === undefined, output, ...present({ error }) };
}

/** A command that ran has worked, whatever its exit code: the model reads that. One that never ran has failed. */
function commandDone(item: Fields): Done {
  const exitCode = numberIn(item, "exitCode");
  const output = textIn(item, "aggregatedOutput");
  const metadata = present({ exitCode, durationMs: numberIn(item, "durationMs") });
  if (exitCode === undefined || exitCode < 0) {
    const error = failure(item, "the command was ended before it was done");
    return { ok: error === undefined, ...present({ output, error }), metadata };
  }
  const gap = output === undefined || output === "" || output.endsWith("\n") ? "" : "\n";
  const note = exitCode === 0 ? "" : `${gap}(exit code ${exitCode})`;
  return { ok: true, output: `${output ?? ""}${note}`, metadata };
}

function changeTitle(item: Fields, directory: string): string {
  const [first, ...others] = pathsOf(item).map((path) => ruledPath(directory, path));
  return first === undefined ? "no file" : others.length === 0 ? first : `${first} and ${others.length} more`;
}

function changeInput(item: Fields, directory: string): Fields {
  const kinds = listIn(item, "changes").map((change) => ({
    path: ruledPath(directory, textIn(change, "path") ?? ""),
    kind: textIn(fieldsIn(change, "kind"), "type") ?? "update",
  }));
  return { changes: kinds };
}

function changeDone(item: Fields, directory: string): Done {
  const files: FileChange[] = filesOf(item, directory);
  const output = files.map(({ path, kind }) => `${kind} ${path}`).join("\n");
  const done = ended(item, output, "the patch could not be applied");
  return done.ok ? { ...done, files } : { ok: false, ...present({ error: done.error }) };
}

/** Words of a result's content; pictures and the like go beside them. */
function textOf(content: readonly Fields[]): string {
  return content.flatMap((part) => textIn(part, "text") ?? []).join("\n");
}

function mcpDone(item: Fields): Done {
  const content = listIn(fieldsIn(item, "result"), "content");
  const message = textIn(fieldsIn(item, "error"), "message") ?? textOf(content);
  const rich = content.some((part) => part.type !== "text") ? { content } : {};
  return { ...ended(item, textOf(content), message || "the server's tool failed"), ...rich };
}

function dynamicDone(item: Fields): Done {
  const output = textOf(listIn(item, "contentItems"));
  return ended({ ...item, status: item.success === false ? "failed" : item.status }, output, output || "it failed");
}

function searchTitle(item: Fields): string | undefined {
  const action = fieldsIn(item, "action");
  return textIn(item, "query") || textIn(action, "query") || textIn(action, "url");
}

const inputOf = (item: Fields): Fields => (isFields(item.arguments) ? item.arguments : {});

const KINDS: Readonly<Record<string, Kind>> = {
  commandExecution: {
    seen(item) {
      const command = shellLine(textIn(item, "command") ?? "");
      return { name: "shell", title: command, input: present({ command, cwd: textIn(item, "cwd") }) };
    },
    done: commandDone,
  },
  fileChange: {
    seen: (item, directory) => ({
      name: "apply_patch",
      title: changeTitle(item, directory),
      input: changeInput(item, directory),
    }),
    done: changeDone,
  },
  mcpToolCall: {
    seen(item) {
      const [server, tool] = [textIn(item, "server") ?? "server", textIn(item, "tool") ?? "tool"];
      return { name: `mcp__${server}__${tool}`, title: `${server}: ${tool}`, input: inputOf(item) };
    },
    done: mcpDone,
  },
  dynamicToolCall: {
    seen: (item) => ({ name: textIn(item, "tool") ?? "tool", input: inputOf(item) }),
    done: dynamicDone,
  },
  webSearch: {
    seen(item) {
      const query = searchTitle(item);
      return { name: "web_search", ...present({ title: query }), input: present({ query }) };
    },
    done: () => ({ ok: true, output: "" }),
  },
  imageView: {
    seen(item, directory) {
      const path = ruledPath(directory, textIn(item, "path") ?? "");
      return { name: "view_image", title: path, input: { path } };
    },
  },
  imageGeneration: {
    seen: (item) => ({ name: "generate_image", input: present({ prompt: textIn(item, "revisedPrompt") }) }),
    done(item) {
      const error = { code: "tool_failed", message: "the picture could not be made" };
      const path = textIn(item, "savedPath");
      return isFields(item.failure) ? { ok: false, error } : { ok: true, output: path ?? "" };
    },
  },
  sleep: { seen: (item) => ({ name: "sleep", input: present({ milliseconds: numberIn(item, "durationMs") }) }) },
  collabAgentToolCall: {
    seen: (item) => ({ name: collabName(item), input: present({ prompt: textIn(item, "prompt") }) }),
    done: (item) => ended(item, "", "the sub-agent could not be reached"),
  },
};

/** A call about sub-agents: `spawnAgent` is `spawn_agent`. */
function collabName(item: Fields): string {
  const tool = textIn(item, "tool") ?? "agent";
  const word = tool.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return word === "wait" ? "wait_agent" : word;
}

const kindOf = (item: Fields): Kind | undefined => {
  const type = textIn(item, "type") ?? "";
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
};

/** An item that is a call of a tool; undefined for any other. */
export function toolSeen(item: Fields, directory: string): Seen | undefined {
  return kindOf(item)?.seen(item, directory);
}

export function toolDone(item: Fields, directory: string): Done | undefined {
  const kind = kindOf(item);
  return kind && (kind.done?.(item, directory) ?? { ok: true });
}
