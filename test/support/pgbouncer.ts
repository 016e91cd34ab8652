import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chownSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missing } from "./missing.ts";
import { freePort, needsPostgres, type PostgresServer, unprivileged } from "./postgres.ts";
import { deadline } from "./time.ts";

/** Debian keeps it where only root's search path leads. */
const PLACES = [...(process.env.PATH ?? "").split(":"), "/usr/sbin"].map((place) => join(place, "pgbouncer"));

const program = PLACES.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** For tests that need PostgreSQL and pgbouncer. */
export const needsPgbouncer: { skip: string | false } = {
  skip: needsPostgres.skip || (program === undefined ? missing("pgbouncer (Debian: pgbouncer)") : false),
};

export interface Pgbouncer extends AsyncDisposable {
  port: number;
  /** Its words so far. */
  said(): string;
}

/** A pgbouncer in transaction mode, with few connections to the server. */
export async function startPgbouncer(server: PostgresServer, poolSize: number): Promise<Pgbouncer> {
  const user = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), "parley-pgbouncer-"));
  const port = await freePort();
  const { username, password } = new URL(server.url("postgres"));
  const files = {
    "users.txt": `"${username}" "${decodeURIComponent(password)}"\n`,
    "pgbouncer.ini": `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(directory, "users.txt")}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, name), text);
    if (user) chownSync(join(directory, name), user.uid, user.gid);
  }
  if (user) chownSync(directory, user.uid, user.gid);
  // The shell ends it when this process is gone, and starts it again when it ends by itself, as the init of a machine does.
  const script =
    '(trap "kill -INT \\$pid; wait \\$pid; exit" TERM; while :; do "$@" & pid=$!; wait $pid; echo "ended: $?" >&2; sleep 0.2; done) & ' +
    "loop=$!; cat >/dev/null; kill -TERM $loop; wait $loop";
  const args = ["-c", script, "sh", String(program), join(directory, "pgbouncer.ini")];
  const child = spawn("sh", args, { ...user, cwd: directory, stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const late = deadline(() => reject(new Error(`pgbouncer was not ready: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("ended: ")) reject(new Error(`pgbouncer ended: ${said}`));
      if (!said.includes("process up")) return;
      late[Symbol.dispose]();
      resolve();
    });
  });
  return {
    port,
    said: () => said,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
