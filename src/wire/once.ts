/**
 * Makes a function that runs once. Later calls return the first result.
 *
 * @param run the function to run
 * @returns the function
 */
export function once<T>(run: () => T): () => T {
  let first: { readonly result: T } | undefined;
  return () => {
    first ??= { result: run() };
    return first.result;
  };
}
