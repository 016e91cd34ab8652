import { test } from "node:test";
import { runComings } from "../scenarios/come-and-go.ts";
import { seedOf } from "../support/random.ts";

test("500 disconnects, half with a cursor and half without: each client shows in the end what the server has", (t) =>
  runComings(t, { listeners: 12, turns: 6, disconnects: 500, seed: seedOf() }));
