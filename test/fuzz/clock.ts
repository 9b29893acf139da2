/** Timers that fire only when the fuzz says so: the gate waits 200 ms for prompts, and two minutes for a person. */
export class FuzzClock {
  private readonly timers = new Map<object, { readonly at: number; readonly fire: () => void }>();
  private readonly real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  private now = 0;

  /** Takes the place of the timers of this process, until `restore`. */
  constructor() {
    const { timers } = this;
    const set = (fire: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
      const timer = { ref: () => timer, unref: () => timer, hasRef: () => true, refresh: () => timer };
      timers.set(timer, { at: this.now + ms, fire: () => fire(...args) });
      return timer;
    };
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: (timer: object) => void timers.delete(timer),
    });
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.now += ms;
    for (const [timer, { at, fire }] of [...this.timers].sort(([, a], [, b]) => a.at - b.at)) {
      if (at > this.now) continue;
      this.timers.delete(timer);
      fire();
    }
  }

  restore(): void {
    Object.assign(globalThis, this.real);
  }
}
