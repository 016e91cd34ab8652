import { ParleyError } from "../core/errors.ts";
import type { Owner } from "../gateway/door.ts";
import { type NodeInfo, nodeOf, placesOf } from "./node.ts";

/** A node as it chooses: its own number and place, and all nodes that are not dead. */
export interface Here {
  node: number;
  place: string;
  draining: boolean;
  nodes: readonly NodeInfo[];
}

/** The node that held a session last. */
export interface Holder {
  node: number;
  name: string;
  address: string;
  /** The holder gave it back, or is dead. */
  free: boolean;
}

const HERE: Owner = { here: true };

function unavailable(message: string): ParleyError {
  return new ParleyError("unavailable", message);
}

function at({ node, name, address }: { node: number; name: string; address: string }, here: Here): Owner {
  if (node === here.node) return HERE;
  if (address === "") throw unavailable(`node ${name} is starting: try again soon`);
  return { here: false, node: name, address };
}

/** The node that takes commands of a session: its holder, or for a free session a node of its place. */
export function ownerOf(session: string, place: string, holder: Holder, here: Here): Owner {
  if (!holder.free) return at(holder, here);
  const others = here.draining ? here.nodes.filter(({ node }) => node !== here.node) : here.nodes;
  if (place === here.place && !here.draining) return HERE;
  const chosen = nodeOf(others, place);
  if (chosen) return at(chosen, here);
  if (place === here.place) return HERE;
  const up = placesOf(here.nodes).join(", ");
  throw unavailable(
    `session ${session} has its directory in place ${place}, and no node there is up (places with nodes: ${up}): start one`,
  );
}

/** The one place of those that have a directory; undefined where none has it. `named`: the place that the request names. */
export function placeFor(directory: string, having: readonly string[], named?: string): string | undefined {
  const [place, ...more] = named === undefined ? having : [named];
  if (more.length === 0) return place;
  const places = [place, ...more].join(" and ");
  const how = "name one of them: `place` in the request, the header x-parley-place, or /at/PLACE before the path";
  throw new ParleyError("ambiguous", `the directory ${directory} is in several places, ${places}: ${how}`, {
    places: having,
  });
}

function noNode(place: string, here: Here): ParleyError {
  const up = placesOf(here.nodes).join(", ");
  return unavailable(
    `no node of place ${place} is up (places with nodes: ${up}): start one there, or name another place`,
  );
}

/** The node that works in a directory which these places have. `named`: the place that the request names. */
export function homeOf(directory: string, having: readonly string[], here: Here, named?: string): Owner {
  const place = placeFor(directory, having, named);
  // A directory that nobody has is refused in the words of this node.
  if (place === undefined || (place === here.place && !here.draining)) return HERE;
  const others = here.nodes.filter(({ node }) => node !== here.node);
  const chosen = nodeOf(others, place);
  if (chosen) return at(chosen, here);
  if (place === here.place) return HERE;
  throw noNode(place, here);
}

/** The node that keeps for a place what is in memory only: the oldest one, so that a node that comes changes nothing. */
export function keeperOf(place: string, here: Here): Owner {
  // This node can be reached, or it would not have been asked, also before it has read its own address.
  const reached = here.nodes.map((one) => (one.node === here.node ? { ...one, address: one.address || "here" } : one));
  const chosen = nodeOf(reached, place);
  if (chosen) return at(chosen, here);
  if (place === here.place) return HERE;
  throw noNode(place, here);
}
