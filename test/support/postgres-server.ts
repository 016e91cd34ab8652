import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAddress } from "../../src/postgres/address.ts";
import { connect } from "../../src/postgres/connection.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import { deadline, PATIENCE_MS } from "./time.ts";

const OLDEST = 15;
const PASSWORD = "very secret";
const DEBIAN = "/usr/lib/postgresql";

/** The directory of PostgreSQL's own programs: Debian keeps them out of the search path. */
function programs(): string | undefined {
  const asked = process.env.PARLEY_TEST_POSTGRES;
  if (asked !== undefined) return existsSync(join(asked, "initdb")) ? asked : undefined;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const found = versions.filter((version) => version >= OLDEST).sort((a, b) => b - a)[0];
  return found === undefined ? undefined : join(DEBIAN, String(found), "bin");
}

/** Whether there is a PostgreSQL that can be started here. */
export const hasPostgres = (): boolean => programs() !== undefined;

/** A user for a server that refuses to run as root. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of ["postgres", "nobody"]) {
    const entry = readFileSync("/etc/passwd", "utf8").match(new RegExp(`^${line}:[^:]*:(\\d+):(\\d+):`, "m"));
    if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) };
  }
  throw new Error("expected a user postgres or nobody: PostgreSQL does not run as root");
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return address.port;
}

export interface PostgresOptions {
  /** Further settings of the server. */
  settings?: Readonly<Record<string, string>>;
}

/** A server of its own, in a temporary directory. */
export class PostgresServer {
  readonly directory: string;
  readonly port: number;
  readonly bin: string;
  private readonly user = unprivileged();
  private readonly settings: Readonly<Record<string, string>>;
  private child: ChildProcess | undefined;
  private made = 0;
  private prepared: Promise<string> | undefined;

  private constructor(port: number, settings: Readonly<Record<string, string>>) {
    const bin = programs();
    if (bin === undefined)
      throw new Error(`expected PostgreSQL ${OLDEST} or later in ${DEBIAN} or PARLEY_TEST_POSTGRES`);
    this.bin = bin;
    this.port = port;
    this.settings = settings;
    this.directory = mkdtempSync(join(tmpdir(), "parley-pg-"));
    if (this.user) chownSync(this.directory, this.user.uid, this.user.gid);
  }

  static async start({ settings = {} }: PostgresOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), settings);
    try {
      server.init();
      await server.run();
      return server;
    } catch (thrown) {
      await server.stop();
      throw thrown;
    }
  }

  get data(): string {
    return join(this.directory, "data");
  }

  private init(): void {
    const password = join(this.directory, "password");
    writeFileSync(password, PASSWORD);
    if (this.user) chownSync(password, this.user.uid, this.user.gid);
    const auth = ["--auth-local=trust", "--auth-host=scram-sha-256", `--pwfile=${password}`];
    this.program("initdb", ["-D", this.data, "-U", "parley", "-E", "UTF8", "--locale=C", "--no-sync", ...auth]);
  }

  /** Runs one of PostgreSQL's programs as the server's user. */
  program(name: string, args: readonly string[]): string {
    return execFileSync(join(this.bin, name), args, {
      ...this.user,
      cwd: this.directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Starts the server, also after it was stopped. */
  async run(): Promise<void> {
    const given = {
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: this.directory,
      fsync: "on",
      max_connections: "100",
      ...this.settings,
    };
    const flags = Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // The shell ends the server and removes its files when this process is gone, whatever ended it.
    const script =
      'files=$1; shift; "$@" & pid=$!; said=$(cat); kill -INT $pid; wait $pid; [ "$said" = keep ] || rm -rf "$files"';
    const child = spawn(
      "sh",
      ["-c", script, "sh", this.directory, join(this.bin, "postgres"), "-D", this.data, ...flags],
      {
        ...this.user,
        cwd: this.directory,
        stdio: ["pipe", "ignore", "pipe"],
      },
    );
    this.child = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const late = deadline(() => reject(new Error(`PostgreSQL was not ready: ${said}`)));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (!said.includes("ready to accept")) return;
        late[Symbol.dispose]();
        resolve();
      });
      child.once("exit", () => {
        late[Symbol.dispose]();
        reject(new Error(`PostgreSQL ended: ${said}`));
      });
    });
    child.stderr?.removeAllListeners("data").resume();
  }

  /** The process id of the server. */
  get pid(): number {
    return Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  }

  /** Ends the server and leaves its files: in order, or at once as a crash does. */
  async halt(how: "fast" | "immediate" = "fast"): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    if (how === "immediate") process.kill(this.pid, "SIGQUIT");
    child.stdin?.end("keep");
    await ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.directory, { recursive: true, force: true });
  }

  url(database: string, { port = this.port, user = "parley", password = PASSWORD } = {}): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  }

  /** Gives a directory to the server. */
  own(directory: string): void {
    if (this.user) chownSync(directory, this.user.uid, this.user.gid);
  }

  /** Runs statements as the owner of all. */
  async sql<Row = Record<string, unknown>>(database: string, text: string): Promise<Row[]> {
    const connection = await connect({ address: readAddress(this.url(database)), limitMs: PATIENCE_MS });
    try {
      return await connection.run<Row>(text, [], PATIENCE_MS);
    } finally {
      await connection.end();
    }
  }

  /** Makes a database and gives its name: empty, or a copy of another. */
  async createDatabase(template?: string): Promise<string> {
    this.made += 1;
    const name = `test_${this.made}`;
    await this.sql("postgres", `CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
    return name;
  }

  /** Makes a database that has the schema already. */
  async preparedDatabase(): Promise<string> {
    this.prepared ??= this.prepare();
    return this.createDatabase(await this.prepared);
  }

  private async prepare(): Promise<string> {
    const name = await this.createDatabase();
    await (await openDatabase({ url: this.url(name) })).close();
    return name;
  }
}
