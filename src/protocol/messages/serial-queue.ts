/**
 * Runs tasks in the order in which they come. A task that returns nothing is over at once, so as long as none waits
 * everything stays synchronous; once one waits, later ones queue behind it.
 */
export class Turns {
  private current: Promise<void> | undefined;
  private readonly queue: (() => void)[] = [];
  private emptying = false;

  /**
   * @returns what the task returns; where it has to queue, a promise of it
   * @throws what the task throws, if it ran at once
   */
  run(task: () => void | Promise<void>): void | Promise<void> {
    if (!this.waiting) return this.start(task);
    return new Promise((resolve, reject) => {
      this.queue.push(() => {
        try {
          const started = this.start(task);
          if (started === undefined) resolve();
          else started.then(resolve, reject);
        } catch (cause) {
          reject(cause);
        }
      });
    });
  }

  /** Whether a task waits, or tasks that waited for it are still to run. */
  get waiting(): boolean {
    return this.current !== undefined || this.emptying;
  }

  /** @returns a promise that no task waits any more */
  async settled(): Promise<void> {
    while (this.current !== undefined) await this.current;
  }

  private start(task: () => void | Promise<void>): void | Promise<void> {
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
