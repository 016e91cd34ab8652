import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Parley as it lies in a checkout: TypeScript, run as it is. */
export const CHECKOUT = join(ROOT, "bin", "parley.js");

let built: string | undefined;

/** Parley as it is installed: JavaScript, made once for the run from the sources as they are. */
export function installedParley(): string {
  if (built !== undefined) return built;
  const place = mkdtempSync(join(tmpdir(), "parley-bench-package-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const bundle = join(ROOT, "scripts", "package", "bundle.ts");
  const { stderr } = spawnSync(process.execPath, [bundle, join(place, "dist")], { cwd: ROOT, encoding: "utf8" });
  if (!existsSync(join(place, "dist", "main.js"))) throw new Error(`expected a bundle, got: ${stderr}`);
  mkdirSync(join(place, "bin"));
  copyFileSync(CHECKOUT, join(place, "bin", "parley.js"));
  copyFileSync(join(ROOT, "package.json"), join(place, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
  built = join(place, "bin", "parley.js");
  return built;
}
