/** A heap snapshot of V8, as far as it is read here. */
export interface HeapSnapshot {
  snapshot: {
    meta: {
      node_fields: string[];
      node_types: [string[], ...unknown[]];
      edge_fields: string[];
      edge_types: [string[], ...unknown[]];
    };
  };
  nodes: number[];
  edges: number[];
  strings: string[];
}

/** How many objects of a kind there are, and their bytes. */
export interface Kind {
  count: number;
  bytes: number;
}

/** Properties that name a plain object. */
const NAMED_BY = 5;

/** Kinds of V8's own: compiled code and shapes come and go with the compiler, whatever the program keeps. */
const OF_THE_ENGINE: ReadonlySet<string> = new Set(["code", "hidden", "object shape", "synthetic", "native"]);

/** The objects of a heap by their constructors, plain ones by their properties; without what V8 has for itself. */
export function kindsOf({ snapshot, nodes, edges, strings }: HeapSnapshot): Map<string, Kind> {
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta;
  const at = (name: string): number => node_fields.indexOf(name);
  const [typeAt, nameAt, sizeAt, edgesAt] = [at("type"), at("name"), at("self_size"), at("edge_count")];
  const [edgeTypeAt, edgeNameAt] = [edge_fields.indexOf("type"), edge_fields.indexOf("name_or_index")];
  const property = edge_types[0].indexOf("property");

  function properties(first: number, count: number): string {
    const names: string[] = [];
    for (let edge = first; edge < first + count * edge_fields.length; edge += edge_fields.length) {
      const name = strings[edges[edge + edgeNameAt] ?? -1] ?? "";
      if (edges[edge + edgeTypeAt] === property && name !== "__proto__") names.push(name);
    }
    const shown = names.slice(0, NAMED_BY).join(", ");
    return `{ ${shown}${names.length > NAMED_BY ? ", …" : ""} }`;
  }

  const kinds = new Map<string, Kind>();
  let edge = 0;
  for (let node = 0; node < nodes.length; node += node_fields.length) {
    const type = node_types[0][nodes[node + typeAt] ?? -1] ?? "";
    const edgeCount = nodes[node + edgesAt] ?? 0;
    if (!OF_THE_ENGINE.has(type)) {
      const name = strings[nodes[node + nameAt] ?? -1] ?? "";
      const kind = nameOf(type, name, () => properties(edge, edgeCount));
      const known = kinds.get(kind) ?? { count: 0, bytes: 0 };
      known.count++;
      known.bytes += nodes[node + sizeAt] ?? 0;
      kinds.set(kind, known);
    }
    edge += edgeCount * edge_fields.length;
  }
  return kinds;
}

function nameOf(type: string, name: string, properties: () => string): string {
  if (type === "object") return name === "Object" ? properties() : name;
  if (type === "closure") return `function ${name}`;
  return `(${type.includes("string") ? "string" : type})`;
}

export interface Grown extends Kind {
  kind: string;
}

/** Kinds with more bytes or objects than before, those with the most first. */
export function grown(before: ReadonlyMap<string, Kind>, after: ReadonlyMap<string, Kind>): Grown[] {
  const all = [...after].map(([kind, { count, bytes }]) => {
    const was = before.get(kind) ?? { count: 0, bytes: 0 };
    return { kind, count: count - was.count, bytes: bytes - was.bytes };
  });
  return all.filter(({ count, bytes }) => count > 0 || bytes > 0).sort((a, b) => b.bytes - a.bytes);
}
