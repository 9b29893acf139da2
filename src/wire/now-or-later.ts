/**
 * Returns what a function passes to its callback: immediately if it calls it before it returns, otherwise as a promise.
 * Some transports need an answer in the same turn, so a promise is used only where something must be waited for.
 *
 * @param start calls one of its arguments once. It may throw before it returns, and must call `fail` afterwards.
 * @example
 * nowOrLater<number>((then) => then(1)); // 1
 */
export function nowOrLater<T>(
  start: (then: (value: T) => void, fail: (cause: unknown) => void) => void,
): T | Promise<T> {
  let done: { readonly value: T } | undefined;
  let later: { resolve(value: T): void; reject(cause: unknown): void } | undefined;
  start(
    (value) => {
      done = { value };
      later?.resolve(value);
    },
    (cause) => {
      if (later === undefined) throw cause;
      later.reject(cause);
    },
  );
  return done === undefined
    ? new Promise((resolve, reject) => {
        later = { resolve, reject };
      })
    : done.value;
}
