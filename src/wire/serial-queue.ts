type Task = () => void | Promise<void>;

/**
 * Runs tasks in the order in which they were added. A task that returns nothing has finished, so as long as no task
 * returns a promise, everything stays synchronous. While a promise is pending, later tasks wait for it.
 */
export class SerialQueue {
  private current: Promise<void> | undefined;
  private readonly queue: (() => void)[] = [];
  private emptying = false;

  /**
   * Runs a task now or, if an earlier one is pending, after it.
   *
   * @returns what the task returns; a promise of it if the task has to wait
   * @throws what the task throws, if it runs immediately
   */
  run(task: Task): void | Promise<void> {
    if (!this.waiting) return this.start(task);
    return new Promise((resolve, reject) => {
      this.queue.push(() => {
        try {
          resolve(this.start(task));
        } catch (cause) {
          reject(cause);
        }
      });
    });
  }

  /** Whether a task is pending, or tasks that waited for it have not run yet. */
  get waiting(): boolean {
    return this.current !== undefined || this.emptying;
  }

  /** Resolves when no task is pending. */
  async settled(): Promise<void> {
    while (this.current !== undefined) await this.current;
  }

  private start(task: Task): void | Promise<void> {
    const running = task();
    if (running === undefined) return undefined;
    const over = () => {
      this.current = undefined;
      this.emptying = true;
      while (this.current === undefined) {
        const next = this.queue.shift();
        if (next === undefined) break;
        next();
      }
      this.emptying = false;
    };
    this.current = running.then(over, over);
    return running;
  }
}

/** Returns what a function makes of a value: immediately, unless the value is a promise. */
export const whenKnown = <T, R>(value: T | Promise<T>, then: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(then) : then(value);

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
