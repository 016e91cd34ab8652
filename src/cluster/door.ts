import type { Door, Owner } from "../gateway/door.ts";
import { type Here, homeOf, keeperOf, ownerOf, placeFor } from "./choose.ts";
import type { Membership } from "./membership.ts";
import { nodeOf, placesOf } from "./node.ts";
import type { Sql } from "./sql.ts";

export interface ClusterDoorOptions {
  sql: Sql;
  membership: Membership;
  /** Whether a session is in memory here. */
  holds(session: string): boolean;
  /** Whether this node has a directory that it may work in. */
  has(directory: string): Promise<boolean>;
  /** Asks a node of another place the same. Rejects where it does not answer. */
  askHas(address: string, directory: string): Promise<boolean>;
  now?: () => number;
}

interface OwnerRow {
  place: string;
  node: string;
  name: string | null;
  address: string | null;
  free: boolean;
}

/** How long an answer about a directory serves. */
const KNOWN_MS = 10_000;
/** How many directories are remembered. */
const MOST_KNOWN = 1_000;

/** Knows the owner of each session by the database, and the places of directories by asking their nodes. */
export class ClusterDoor implements Door {
  private readonly options: ClusterDoorOptions;
  private readonly now: () => number;
  private readonly known = new Map<string, { places: Promise<string[]>; at: number }>();

  constructor(options: ClusterDoorOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  get place(): string {
    return this.options.membership.place;
  }

  private get here(): Here {
    const { membership } = this.options;
    const { node, place, isDraining: draining } = membership;
    return { node, place, draining, nodes: membership.all() };
  }

  async owner(session: string): Promise<Owner> {
    const { sql, holds, membership } = this.options;
    if (holds(session)) return { here: true };
    // A sub-agent's session belongs where the agent of its root runs, also while it is free itself.
    const [row] = await sql.query<OwnerRow>(
      `SELECT s.place, o.node::text AS node, n.name, n.address, (o.released OR coalesce(n.dead, true)) AS free
       FROM sessions asked JOIN sessions s ON s.id = coalesce(asked.root, asked.id)
       JOIN owners o ON o.sid = s.sid LEFT JOIN nodes n ON n.node = o.node WHERE asked.id = $1`,
      [session],
    );
    if (!row) return { here: true };
    const { place, name, address, free } = row;
    const node = Number(row.node);
    if (free) await this.meet(place);
    else if (!membership.all().some((one) => one.node === node)) await membership.look();
    return ownerOf(session, place, { node, name: name ?? "", address: address ?? "", free }, this.here);
  }

  async home(directory: string | undefined, named?: string): Promise<Owner> {
    if (this.here.draining) await this.meet(this.here.place);
    const { here } = this;
    const places = placesOf(here.nodes);
    if (named !== undefined) {
      await this.meet(named);
      return homeOf(directory ?? "", [], this.here, named);
    }
    // Most have one place: nobody is asked then.
    if (directory === undefined || places.every((place) => place === here.place))
      return homeOf(directory ?? "", [here.place], here);
    return homeOf(directory, await this.placesOf(directory), here);
  }

  async keeper(directory: string | undefined, named?: string): Promise<Owner> {
    const { here } = this;
    const places = placesOf(here.nodes);
    if (named !== undefined) {
      await this.meet(named);
      return keeperOf(named, this.here);
    }
    if (directory === undefined || places.every((place) => place === here.place)) return keeperOf(here.place, here);
    return keeperOf(placeFor(directory, await this.placesOf(directory)) ?? here.place, here);
  }

  /** Looks for nodes that came a moment ago, where one of a place is needed and none is known. */
  private async meet(place: string): Promise<void> {
    const { membership } = this.options;
    const { here } = this;
    if (place === here.place && !here.draining) return;
    if (!nodeOf(membership.peers(), place)) await membership.look();
  }

  private placesOf(directory: string): Promise<string[]> {
    const kept = this.known.get(directory);
    if (kept && this.now() - kept.at < KNOWN_MS) return kept.places;
    const places = this.askPlaces(directory);
    this.known.delete(directory);
    this.known.set(directory, { places, at: this.now() });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
    // A directory that nobody has may be made at any moment.
    const forget = (): boolean => this.known.delete(directory);
    places.then((having) => having.length > 0 || forget(), forget);
    return places;
  }

  /** A place whose node does not answer counts as one without the directory: it could not work there either. */
  private async askPlaces(directory: string): Promise<string[]> {
    const { membership, has, askHas } = this.options;
    const { here } = this;
    const others = placesOf(here.nodes).filter((place) => place !== here.place);
    const asked = others.map(async (place) => {
      const node = membership.peers().find((one) => one.place === place && one.address !== "" && one.leaseLeftMs > 0);
      return node !== undefined && (await askHas(node.address, directory).catch(() => false)) ? [place] : [];
    });
    const own = (await has(directory)) ? [here.place] : [];
    return [...own, ...(await Promise.all(asked)).flat()];
  }
}
