/** While the machine's clock is behind what was said already, time goes on at half its pace until it is not. */
const CATCHING_UP = 0.5;

/**
 * A clock that never steps back, for times that are compared and sorted: the machine's own may be set back at any moment.
 * `steady` is any clock that nobody sets. How long something took is not to be had from either: see `Context.steady`.
 */
export function neverBack(wall: () => number, steady: () => number): () => number {
  let last = wall();
  let seen = steady();
  return () => {
    const passed = Math.max(0, steady() - seen);
    seen += passed;
    last = Math.max(wall(), last + (wall() < last ? passed * CATCHING_UP : 0));
    return Math.floor(last);
  };
}
