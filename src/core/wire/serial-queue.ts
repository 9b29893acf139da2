type Task = () => void | Promise<void>;

/**
 * Runs tasks in the order in which they were added. A task that returns nothing has finished, so as long as no task
 * returns a promise, everything stays synchronous. While a promise is pending, later tasks wait for it.
 */
export class SerialQueue {
  private current: Promise<void> | undefined;
  // Created by the first task that waits: many queues run a single one.
  private queue: (() => void)[] | undefined;
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
      this.queue ??= [];
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
        const next = this.queue?.shift();
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
