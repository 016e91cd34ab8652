import { test } from "node:test";
import { seedOf } from "../support/random.ts";
import { runAnyOrder } from "./any-order.ts";

test("200 requests of all sorts to the same sessions at once: each is answered as described, and the laws hold", (t) =>
  runAnyOrder(t, { requests: 200, clients: 8, seed: seedOf() }));
