import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import { within } from "../../../core/within.ts";
import type { ProcessHost, SpawnSpec } from "../../../host/contract.ts";
import { newDecodeState } from "../decode/state.ts";
import { decodeLine } from "../decode.ts";
import { shakeHands } from "../handshake.ts";
import { Rpc } from "../rpc.ts";

const GRACE_MS = 500;
const PAGE = 100;
const MOST_PAGES = 20;

/** Starts the program, asks it, and ends it. No turn is begun and no model is called. Undefined where it does not answer in time. */
export async function withProgram<T>(
  host: ProcessHost,
  spec: SpawnSpec,
  limitMs: number,
  ask: (rpc: Rpc, hello: { version?: string }) => Promise<T>,
): Promise<{ value?: T; error?: string }> {
  const state = newDecodeState(spec.directory, "probe");
  const program = host.spawn(spec, {
    line(text) {
      const { response, reply } = decodeLine(state, text, 0);
      if (response) rpc.answered(response);
      if (reply) void rpc.reply(reply);
    },
    oversize() {},
  });
  const rpc = new Rpc((line) => program.write(line));
  program.started.catch(() => {});
  const gone = program.exited.catch(() => undefined);
  void gone.finally(() => rpc.close());
  const asking = (async (): Promise<{ value?: T; error?: string }> => {
    const { error, ...hello } = await shakeHands(rpc);
    if (error !== undefined) return { error };
    return { value: await ask(rpc, hello) };
  })();
  try {
    const answered = await within(asking, limitMs);
    if (answered?.value.error !== undefined) {
      const exit = await within(gone, GRACE_MS);
      const words = exit?.value?.stderr.slice(-3).join(" / ");
      return { error: words || answered.value.error };
    }
    return answered?.value ?? { error: `it did not answer within ${limitMs} ms` };
  } finally {
    program.endInput();
    await within(gone, GRACE_MS);
    await program.kill(GRACE_MS);
  }
}

export interface Probed {
  version?: string;
  models: Fields[];
  account: Fields;
  config: Fields;
}

async function allModels(rpc: Rpc): Promise<Fields[]> {
  const models: Fields[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { result = {} } = await rpc.ask("model/list", { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    models.push(...listIn(result, "data"));
    cursor = textIn(result, "nextCursor");
    if (cursor === undefined) break;
  }
  return models;
}

/** Asks the program for its models, its configuration and its login. */
export function probe(
  host: ProcessHost,
  spec: SpawnSpec,
  limitMs: number,
): Promise<{ value?: Probed; error?: string }> {
  return withProgram(host, spec, limitMs, async (rpc, hello) => {
    const [models, account, config] = await Promise.all([
      allModels(rpc),
      rpc.ask("account/read"),
      rpc.ask("config/read"),
    ]);
    return { ...hello, models, account: account.result ?? {}, config: fieldsIn(config.result ?? {}, "config") };
  });
}
