/** Resolves when the responses of requests that are settled now are on their way: what is sent next comes after them. */
export function afterResponses(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
