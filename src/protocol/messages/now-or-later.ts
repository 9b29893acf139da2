/**
 * Returns what a function passes to its callback: immediately if it calls it before it returns, otherwise as a promise.
 * Some transports need an answer in the same turn, so a promise is used only where something must be waited for.
 *
 * @param start calls its argument once
 * @example
 * nowOrLater<number>((then) => then(1)); // 1
 */
export function nowOrLater<T>(start: (then: (value: T) => void) => void): T | Promise<T> {
  let done: { readonly value: T } | undefined;
  let resolveLater: ((value: T) => void) | undefined;
  start((value) => {
    done = { value };
    resolveLater?.(value);
  });
  return done === undefined
    ? new Promise((resolve) => {
        resolveLater = resolve;
      })
    : done.value;
}
