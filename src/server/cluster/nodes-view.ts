import type { Membership } from "../../cluster/membership.ts";
import type { Sql } from "../../cluster/sql.ts";
import { ParleyError } from "../../core/errors.ts";
import type { NodesView } from "../../surfaces/universal/node-routes.ts";
import type { Peers } from "./peers.ts";

export interface NodesViewOptions {
  sql: Sql;
  membership: Membership;
  peers: Peers;
  /** Drains this node. */
  drain(): Promise<void>;
}

/** The nodes and the places of sessions, for the universal API. */
export function nodesView({ sql, membership, peers, drain }: NodesViewOptions): NodesView {
  return {
    async list() {
      await membership.look();
      return membership.all().map((info) => ({ ...info, self: info.node === membership.node }));
    },
    async places(ids) {
      const rows = await sql.query<{ id: string; place: string }>(
        "SELECT id, place FROM sessions WHERE id = ANY ($1::text[])",
        [ids],
      );
      return new Map(rows.map(({ id, place }) => [id, place]));
    },
    async drain(wanted) {
      await membership.look();
      const found = membership.all().findLast(({ name }) => name === wanted);
      if (!found) {
        const names = membership.all().map(({ name }) => name);
        throw new ParleyError("not_found", `no node ${wanted}; there are: ${names.join(", ")}`);
      }
      if (found.node === membership.node) await drain();
      else await peers.drain(found.address);
    },
  };
}
