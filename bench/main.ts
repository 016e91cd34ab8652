import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { endAll } from "./harness/child.ts";
import type { Figure } from "./harness/figure.ts";
import { describeMachine, load, loadOfMinute } from "./harness/machine.ts";
import { saved, table } from "./harness/table.ts";
import { briefly, measurements } from "./measurements.ts";
import { metLine, missLines } from "./page/misses.ts";
import { failedIn } from "./page/renew.ts";
import { checkPages, writePages } from "./page/write.ts";

/** All of it takes about 13 minutes on two quiet cores. */
const LONGEST_MINUTES = 40;
const NAMES = measurements.map(({ name }) => name);
const BRIEF_NAMES = briefly.map(({ name }) => name);

const USAGE = `npm run bench -- [NAME…] [--json FILE] [--write] [--brief | --tiny]
  NAME     only these: ${NAMES.join(", ")}
  --json   also write the results to a file, a line each
  --write  also renew the tables of docs/performance.md and docs/many-machines.md that these figures belong to
  --brief  few rounds of ${BRIEF_NAMES.join(", ")}; says only which goals are missed
  --tiny   few repetitions: shows that it works, measures nothing`;

const OPTIONS = {
  json: { type: "string" },
  write: { type: "boolean" },
  brief: { type: "boolean" },
  tiny: { type: "boolean" },
  help: { type: "boolean" },
} as const;

interface Values {
  write?: boolean;
  brief?: boolean;
  tiny?: boolean;
}

/** Measurements by name, each in the size that was asked for. */
function chosen(names: readonly string[], { write, brief, tiny }: Values) {
  if (write && (brief || tiny)) throw new Error(`--write needs all rounds: leave --brief and --tiny out\n${USAGE}`);
  const offered = brief ? BRIEF_NAMES : NAMES;
  const unknown = names.find((name) => !offered.includes(name));
  if (unknown !== undefined) throw new Error(`there is no measurement ${unknown}\n${USAGE}`);
  const wanted = ({ name }: { name: string }): boolean => names.length === 0 || names.includes(name);
  if (brief) return briefly.filter(wanted).map(({ name, run }) => ({ name, run: () => run("brief") }));
  return measurements.filter(wanted).map(({ name, run }) => ({ name, run: () => run(tiny ? "tiny" : "full") }));
}

function leave(code: number): void {
  endAll();
  process.exit(code);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return console.log(USAGE);
  const wanted = chosen(positionals, values);
  if (values.write)
    for (const line of checkPages(
      NAMES,
      wanted.map(({ name }) => name),
    ))
      console.error(line);
  process.once("SIGINT", () => leave(130));
  process.once("SIGTERM", () => leave(143));
  const date = new Date().toISOString().slice(0, 10);
  const [machine, before] = [describeMachine(), loadOfMinute()];
  const began = { machine, load: load() };
  const figures: Figure[] = [];
  const whole = new Map<string, Figure[]>();
  const methods: string[] = [];
  const tell = (): void => {
    const [goals, met] = [figures.filter(({ goal }) => goal), figures.filter(({ goal }) => goal?.met)];
    console.log(`\n${machine}; load before ${began.load}, after ${load()}\n`);
    console.log(`${table(figures)}\n\n${met.length} of ${goals.length} goals met\n\n${methods.join("\n")}`);
  };
  const tooLong = (): void => {
    if (!values.brief) tell();
    console.error(`the bench was ended: it took more than ${LONGEST_MINUTES} minutes`);
    leave(1);
  };
  setTimeout(tooLong, LONGEST_MINUTES * 60_000).unref();
  for (const { name, run } of wanted) {
    console.error(`${name} …`);
    const outcome = await run();
    figures.push(...outcome.figures);
    if (outcome.skipped === undefined) whole.set(name, outcome.figures);
    const skipped = outcome.skipped === undefined ? "" : ` SKIPPED: ${outcome.skipped}`;
    methods.push(`- **${name}**: ${outcome.method}${skipped}`);
    // Told at once: a run that is ended early has said what it knew.
    if (values.brief) for (const line of missLines(outcome.figures, before)) console.log(line);
  }
  if (values.brief) console.log(metLine(figures, before));
  else tell();
  if (values.json !== undefined) await writeFile(values.json, saved(began, figures));
  const failed = failedIn([figures]);
  if (failed.length > 0) throw new Error(`\nthe bench failed: events or turns were lost in ${failed.join(", ")}`);
  if (!values.write) return;
  const run = { date, machine, cores: availableParallelism(), load: { before, after: loadOfMinute() }, figures: whole };
  console.log(`\n${writePages(run, NAMES).join("\n")}`);
}

await main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  leave(1);
});
