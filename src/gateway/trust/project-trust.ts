import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { Agents } from "../../agents/contract.ts";
import { ParleyError } from "../../core/errors.ts";
import { present } from "../../core/json/fields.ts";
import { coveredBy, type TrustedDirectory, type TrustInfo, tooWide } from "../../core/trust.ts";
import type { Roots } from "../../host/files/roots.ts";
import { existingDirectory } from "../checks.ts";
import { type Door, enterDirectory, onlyHere } from "../door.ts";
import type { GatewayOptions } from "../options.ts";
import type { Trust } from "./contract.ts";

/** The user's trust in directories, as surfaces show and change it. */
export class ProjectTrust {
  private readonly trust: Trust;
  private readonly agents: Agents;
  private readonly roots: Roots;
  private readonly door: Door;

  constructor({ trust, agents, roots, door = onlyHere }: Pick<GatewayOptions, "trust" | "agents" | "roots" | "door">) {
    this.trust = trust;
    this.agents = agents;
    this.roots = roots;
    this.door = door;
  }

  /** The trusted directories that lie in the roots, or hold one of them. */
  list(): TrustedDirectory[] {
    const { directories } = this.roots;
    return this.trust
      .list()
      .filter(({ directory }) => this.roots.has(directory) || directories.some((root) => coveredBy(root, [directory])));
  }

  trusts(directory: string): boolean {
    return this.trust.covering(directory) !== undefined;
  }

  async look(given: string): Promise<TrustInfo> {
    const directory = await existingDirectory(given, { roots: this.roots, door: this.door });
    const by = this.trust.covering(directory);
    const warning = tooWide(directory, homedir());
    return present({ directory, trusted: by !== undefined, by, settings: await this.settings(directory), warning });
  }

  async add(given: string): Promise<TrustInfo> {
    this.trust.add(await existingDirectory(given, { roots: this.roots, door: this.door }));
    return this.look(given);
  }

  /** The directory itself may be gone by now. */
  async remove(given: string): Promise<TrustInfo> {
    if (!isAbsolute(given)) throw new ParleyError("invalid", `expected the absolute path of a directory, got ${given}`);
    const directory = resolve(given);
    await enterDirectory(this.door, directory);
    this.roots.assert(directory);
    const removed = this.trust.remove(directory);
    const by = this.trust.covering(directory);
    if (by !== undefined) throw new ParleyError("still_trusted", this.why(directory, by), { by });
    if (!removed) throw new ParleyError("not_found", `${directory} is not trusted; nothing was changed`);
    return this.look(directory).catch(() => ({ directory, trusted: false, settings: [] }));
  }

  private why(directory: string, by: string): string {
    const configured = this.trust.list().some((one) => one.directory === by && one.source === "configuration");
    const where = configured ? `take ${by} out of "trust" in your configuration` : `take back the trust in ${by}`;
    return `${directory} is still trusted${by === directory ? "" : `, because it lies in ${by}`}: ${where}`;
  }

  private async settings(directory: string): Promise<TrustInfo["settings"]> {
    const found = await Promise.all(
      [...this.agents.values()].map(async (agent) => {
        const settings = (await agent.projectSettings?.(directory).catch(() => [])) ?? [];
        return settings.map((setting) => ({ agent: agent.name, ...setting }));
      }),
    );
    const [{ commandsThatRun }, { serversThatRun }] = await Promise.all([
      import("../commands/project-commands.ts"),
      import("./project-servers.ts"),
    ]);
    const own = [...(await commandsThatRun(directory)), ...(await serversThatRun(directory))];
    return [...found.flat(), ...own.map((setting) => ({ agent: "parley", ...setting }))];
  }
}
