// Installs what a fresh clone lacks. Plain JavaScript for any Node, because it runs before Node 24 is there.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const LOCK = "package-lock.json";
const INSTALLED = "node_modules/.package-lock.json";

const fresh = existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs;
if (!fresh) {
  console.error("parley: installing dependencies (once) …");
  const install = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (install.status !== 0) {
    console.error(
      "parley: npm ci failed; its messages are above (no network, or package-lock.json does not fit package.json)",
    );
    process.exit(install.status ?? 1);
  }
}
