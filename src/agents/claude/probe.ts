import { type Fields, isFields, jsonIn, present, textIn } from "../../core/json/fields.ts";
import { within } from "../../core/within.ts";
import type { ProcessHost, SpawnSpec } from "../../host/contract.ts";
import { Control } from "./control.ts";
import { newDecodeState } from "./decode/state.ts";
import { decodeLine } from "./decode.ts";

const GRACE_MS = 500;

export interface Probed {
  /** The program's answer to `initialize`: models, commands, agents. */
  initialized: Fields;
  version?: string;
}

/** Asks the program what it can do. No turn is begun and no model is called. */
export async function probe(host: ProcessHost, spec: SpawnSpec, limitMs: number): Promise<Probed | undefined> {
  let state = newDecodeState(spec.directory);
  const program = host.spawn(spec, {
    line(text) {
      const decoded = decodeLine(state, text, 0);
      state = decoded.state;
      if (decoded.response) control.answered(decoded.response);
    },
    oversize() {},
  });
  const control = new Control((line) => program.write(line));
  program.started.catch(() => {});
  program.exited.catch(() => {}).finally(() => control.close());
  const asked = Promise.all([
    control.ask({ subtype: "initialize", forwardSubagentText: false }),
    control.ask({ subtype: "get_binary_version" }),
  ]);
  try {
    const answers = await within(asked, limitMs);
    if (!answers) return undefined;
    const [initialized, binary] = answers.value;
    if (!initialized.ok) return undefined;
    return present({ initialized: initialized.body, version: textIn(binary.body, "version") });
  } finally {
    program.endInput();
    await within(program.exited, GRACE_MS);
    await program.kill(GRACE_MS);
  }
}

/** Runs a command of the program that prints one JSON object, whatever its exit code. */
export async function readJson(host: ProcessHost, spec: SpawnSpec, limitMs: number): Promise<Fields | undefined> {
  const lines: string[] = [];
  const program = host.spawn(spec, { line: (text) => void lines.push(text), oversize() {} });
  program.started.catch(() => {});
  program.endInput();
  const exit = await within(
    program.exited.catch(() => undefined),
    limitMs,
  );
  if (!exit?.value) await program.kill(GRACE_MS);
  const value = jsonIn(lines.join("\n"));
  return isFields(value) ? value : undefined;
}
