import { computed, signal } from "@preact/signals";
import { kept } from "../../data/kept.ts";
import { board } from "../../data/seen.ts";
import { stateOf } from "../../data/sessions.ts";
import { fits, groupsOf, ORDERS, type Order, type Placed } from "../../model/board.ts";
import { NEEDS } from "../../model/needs.ts";
import { hrefOf } from "../../model/route.ts";
import { SessionRow } from "./session-row.tsx";

function isOrder(value: unknown): value is Order {
  return ORDERS.some((order) => order === value);
}

const order = kept<Order>("board.order", "need", isOrder);
const filter = signal("");

const ORDER_NAMES: Readonly<Record<Order, string>> = { need: "what they need", directory: "directory", agent: "agent" };

const placed = computed(() =>
  NEEDS.flatMap((need) =>
    board.value[need].flatMap((id): Placed[] => {
      const state = stateOf(id)?.value;
      return state ? [{ id, need, state }] : [];
    }),
  ),
);

const groups = computed(() => {
  const text = filter.value.trim();
  const shown = text === "" ? placed.value : placed.value.filter((one) => fits(one, text));
  return groupsOf(shown, order.now.value);
});

function Tools() {
  return (
    <div class="row">
      <label class="field grow">
        <span class="unseen">Filter sessions</span>
        <input
          class="input"
          type="search"
          placeholder="Filter by title, directory, agent or model"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        <span class="unseen">Group sessions by</span>
        <select
          class="input"
          value={order.now.value}
          onChange={(event) => {
            if (isOrder(event.currentTarget.value)) order.set(event.currentTarget.value);
          }}
        >
          {ORDERS.map((one) => (
            <option key={one} value={one}>
              by {ORDER_NAMES[one]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** All sessions, by what they need. */
export function Board() {
  if (placed.value.length === 0) {
    return (
      <div class="empty">
        <p>There is no session yet.</p>
        <a class="button first" href={hrefOf({ page: "new" })}>
          New session
        </a>
      </div>
    );
  }
  return (
    <section class="board" aria-label="Sessions">
      <Tools />
      {groups.value.length === 0 && <p class="empty">No session fits this filter.</p>}
      {groups.value.map(({ key, name, sessions }) => (
        <section key={key} aria-label={name}>
          <h2>
            <span class="cut">{name}</span> <span class="muted">{sessions.length}</span>
          </h2>
          <ul class="plain card rows">
            {sessions.map(({ id, need }) => (
              <SessionRow key={id} id={id} need={need} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
