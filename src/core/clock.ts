/** While the machine's clock is behind the last time that was given, time goes on at this part of its pace. */
const CATCHING_UP = 0.5;

/**
 * A clock that never steps back, for times that are compared and sorted: the machine's own clock may be set back.
 * `steady` is any clock that nobody sets. Neither measures how long something took: `Context.steady` does. `from` is the
 * earliest time that it gives.
 */
export function neverBack(wall: () => number, steady: () => number, from = 0): () => number {
  let last = Math.max(wall(), from);
  let seen = steady();
  return () => {
    const passed = Math.max(0, steady() - seen);
    seen += passed;
    last = Math.max(wall(), last + (wall() < last ? passed * CATCHING_UP : 0));
    return Math.floor(last);
  };
}
