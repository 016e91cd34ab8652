/** A promise with its ends, as `Promise.withResolvers` makes it: Node 20 does not have that. */
export function deferred<T>(): PromiseWithResolvers<T> {
  const made = {} as PromiseWithResolvers<T>;
  made.promise = new Promise<T>((resolve, reject) => {
    Object.assign(made, { resolve, reject });
  });
  return made;
}
