import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { endAll } from "./harness/child.ts";
import type { Figure, Measurement } from "./harness/figure.ts";
import { describeMachine, load } from "./harness/machine.ts";
import { saved, table } from "./harness/table.ts";
import { measurements } from "./measurements.ts";

const LONGEST_MS = 12 * 60_000;

const USAGE = `npm run bench -- [NAME…] [--json FILE] [--tiny]
  NAME    only these: ${measurements.map(({ name }) => name).join(", ")}
  --json  also write the results to a file, a line each
  --tiny  few repetitions: shows that it works, measures nothing`;

function chosen(names: readonly string[]): readonly Measurement[] {
  const unknown = names.find((name) => !measurements.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`there is no measurement ${unknown}\n${USAGE}`);
  return names.length === 0 ? measurements : measurements.filter(({ name }) => names.includes(name));
}

function leave(code: number): void {
  endAll();
  process.exit(code);
}

async function main(): Promise<void> {
  const options = { json: { type: "string" }, tiny: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return console.log(USAGE);
  process.once("SIGINT", () => leave(130));
  process.once("SIGTERM", () => leave(143));
  setTimeout(() => leave(1), LONGEST_MS).unref();
  const began = { machine: describeMachine(), load: load() };
  const figures: Figure[] = [];
  const methods: string[] = [];
  for (const { name, run } of chosen(positionals)) {
    console.error(`${name} …`);
    const outcome = await run(values.tiny ? "tiny" : "full");
    figures.push(...outcome.figures);
    const skipped = outcome.skipped === undefined ? "" : ` SKIPPED: ${outcome.skipped}`;
    methods.push(`- **${name}**: ${outcome.method}${skipped}`);
  }
  const goals = figures.filter(({ goal }) => goal);
  const met = goals.filter(({ goal }) => goal?.met).length;
  console.log(`\n${began.machine}; load before ${began.load}, after ${load()}\n`);
  console.log(`${table(figures)}\n\n${met} of ${goals.length} goals met\n\n${methods.join("\n")}`);
  if (values.json !== undefined) await writeFile(values.json, saved(began, figures));
  const failed = figures.filter(({ faults = [] }) => faults.length > 0).map(({ work }) => work);
  if (failed.length > 0) throw new Error(`\nthe bench failed: events or turns were lost in ${failed.join(", ")}`);
}

await main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  leave(1);
});
