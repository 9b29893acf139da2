import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionRecord, SessionStore } from '../../src/core/session/store.js';
import { type Reached, reach } from './areas.js';
import type { Random } from './random.js';

const AREA = { read: 'store: reads that failed', write: 'store: writes that failed' } as const;

/** A store that fails as long as a part of its calls does: at once, late, or after it did what it was asked for. */
export class FaultyStore implements SessionStore {
  private readonly inner = createMemoryStore();
  private readonly waiting: (() => void)[] = [];
  /** The part of its reads and writes that fail. */
  faults = { read: 0, write: 0 };
  /** The calls that failed since this was set. */
  failed = { read: 0, write: 0 };

  constructor(
    private readonly random: Random,
    private readonly reached: Reached,
  ) {}

  /** Ends the calls that hang, as a time limit does. */
  release(): void {
    for (const end of this.waiting.splice(0)) end();
  }

  read = (id: string) => this.faulty('read', () => this.inner.read(id));
  update = (id: string, change: SessionRecord) => this.faulty('write', () => this.inner.update(id, change));
  end = (id: string) => this.faulty('write', () => this.inner.end(id));

  private async faulty<T>(what: 'read' | 'write', call: () => Promise<T>): Promise<T> {
    if (!this.random.chance(this.faults[what])) return call();
    this.failed[what]++;
    reach(this.reached, AREA[what]);
    const roll = this.random.next();
    if (roll < 0.3) {
      reach(this.reached, 'store: answers that were lost');
      await call();
    } else if (roll < 0.5) {
      reach(this.reached, 'store: calls that hang');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    throw Object.assign(new Error('down'), { name: 'FuzzStoreError' });
  }
}
