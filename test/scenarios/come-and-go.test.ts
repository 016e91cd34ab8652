import { test } from "node:test";
import { seedOf } from "../support/random.ts";
import { runComings } from "./come-and-go.ts";

test("D6 clients that come and go while sessions work show in the end what the server has", (t) =>
  runComings(t, { listeners: 12, turns: 6, disconnects: 0, seed: seedOf() }));
