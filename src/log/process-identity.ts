import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** After `pid (name) `, where the name may hold anything, the start time is the 20th field. */
const START_FIELD = 19;

/** When a process began, as its system says it; with the pid it names one process for good. Undefined: not running. */
export function startTimeOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      // A zombie is dead but for its parent's interest.
      return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[START_FIELD];
    }
    const argv = ["-o", "lstart=", "-p", String(pid)];
    const text = execFileSync("ps", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return text.trim() || undefined;
  } catch {
    return undefined;
  }
}
