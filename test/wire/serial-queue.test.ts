import { setImmediate as macrotask } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SerialQueue } from '../../src/core/wire/serial-queue.js';

/** A task that is pending until the test ends it. */
function waiting(log: string[], name: string) {
  let finish: () => void = () => {};
  let fail: (cause: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const task = async () => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
  };
  return { task, finish: () => finish(), fail: (message: string) => fail(new Error(message)) };
}

const note = (log: string[], name: string) => () => {
  log.push(name);
};

describe('while no task is pending', () => {
  it('tasks run immediately, and there is nothing to wait for', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    expect(turns.run(note(log, 'a'))).toBeUndefined();
    expect(turns.run(note(log, 'b'))).toBeUndefined();
    expect(log).toEqual(['a', 'b']);
    expect(turns.waiting).toBe(false);
    await turns.settled();
  });

  it('a task that throws does not affect the next one', () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    expect(() =>
      turns.run(() => {
        throw new Error('broken');
      }),
    ).toThrow('broken');
    expect(turns.waiting).toBe(false);
    expect(turns.run(note(log, 'next'))).toBeUndefined();
    expect(log).toEqual(['next']);
  });

  it('a task may run another one', () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    turns.run(() => {
      turns.run(note(log, 'inner'));
      log.push('outer');
    });
    expect(log).toEqual(['inner', 'outer']);
  });
});

describe('while a task is pending', () => {
  it('it has started, and later ones wait in order', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const first = waiting(log, 'first');
    const second = waiting(log, 'second');
    turns.run(first.task);
    turns.run(note(log, 'a'));
    turns.run(second.task);
    const last = turns.run(note(log, 'b'));
    expect(log).toEqual(['first begins']);
    expect(turns.waiting).toBe(true);

    first.finish();
    await macrotask();
    expect(log).toEqual(['first begins', 'first ends', 'a', 'second begins']);
    expect(turns.waiting).toBe(true);

    second.finish();
    await last;
    expect(log).toEqual(['first begins', 'first ends', 'a', 'second begins', 'second ends', 'b']);
    await turns.settled();
    expect(turns.waiting).toBe(false);
  });

  it('everything is synchronous again after it ends', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const task = waiting(log, 'task');
    turns.run(task.task);
    task.finish();
    await turns.settled();
    expect(turns.run(note(log, 'after'))).toBeUndefined();
    expect(log).toEqual(['task begins', 'task ends', 'after']);
  });

  it('the promise of a queued task resolves when that task ends', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const [first, second] = [waiting(log, 'first'), waiting(log, 'second')];
    turns.run(first.task);
    const queued = Promise.resolve(turns.run(note(log, 'queued'))).then(note(log, 'queued is over'));
    turns.run(second.task);
    first.finish();
    await queued;
    expect(log).toEqual(['first begins', 'first ends', 'queued', 'second begins', 'queued is over']);
    second.finish();
    await turns.settled();
  });

  it('a task that is added while the queue is emptied does not overtake it', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const first = waiting(log, 'first');
    turns.run(first.task);
    turns.run(() => {
      log.push('a');
      turns.run(note(log, 'c, which came last'));
    });
    turns.run(note(log, 'b'));
    first.finish();
    await turns.settled();
    expect(log).toEqual(['first begins', 'first ends', 'a', 'b', 'c, which came last']);
  });
});

describe('a task that fails', () => {
  it('after it was pending rejects its promise, and later ones run', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const first = waiting(log, 'first');
    const failed = expect(turns.run(first.task)).rejects.toThrow('no store');
    const next = turns.run(note(log, 'next'));
    first.fail('no store');
    await failed;
    await next;
    expect(log).toEqual(['first begins', 'next']);
    await turns.settled();
    expect(turns.waiting).toBe(false);
  });

  it('after it was queued rejects its promise, and later ones run', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const [first, second] = [waiting(log, 'first'), waiting(log, 'second')];
    turns.run(first.task);
    const failed = expect(turns.run(second.task)).rejects.toThrow('no store');
    const next = turns.run(note(log, 'next'));
    first.finish();
    second.fail('no store');
    await failed;
    await next;
    expect(log).toEqual(['first begins', 'first ends', 'second begins', 'next']);
  });

  it('synchronously after it was queued rejects its promise, and later ones run', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const uncaught: unknown[] = [];
    const listen = (cause: unknown) => uncaught.push(cause);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listen);
    try {
      const first = waiting(log, 'first');
      turns.run(first.task);
      let told: unknown;
      Promise.resolve(
        turns.run(() => {
          throw new Error('broken');
        }),
      ).catch((cause: unknown) => {
        told = cause;
      });
      turns.run(note(log, 'next'));
      first.finish();
      await macrotask();
      await macrotask();
      expect(log).toEqual(['first begins', 'first ends', 'next']);
      expect(told).toEqual(new Error('broken'));
      expect(uncaught).toEqual([]);
      expect(turns.waiting).toBe(false);
    } finally {
      process.off('unhandledRejection', listen);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});

describe('settled', () => {
  it('resolves immediately if no task is pending', async () => {
    await new SerialQueue().settled();
  });

  it('waits for all pending tasks, also for tasks added meanwhile', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const [first, second] = [waiting(log, 'first'), waiting(log, 'second')];
    turns.run(first.task);
    const settled = turns.settled().then(note(log, 'settled'));
    turns.run(second.task);
    first.finish();
    await macrotask();
    expect(log).not.toContain('settled');
    second.finish();
    await settled;
    expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'settled']);
  });

  it('waits for a task that is added as soon as an earlier one ends', async () => {
    const turns = new SerialQueue();
    const log: string[] = [];
    const [first, second] = [waiting(log, 'first'), waiting(log, 'second')];
    const chain = Promise.resolve(turns.run(first.task)).then(() => turns.run(second.task));
    const settled = turns.settled().then(note(log, 'settled'));
    first.finish();
    await macrotask();
    expect(log).toEqual(['first begins', 'first ends', 'second begins']);
    second.finish();
    await Promise.all([chain, settled]);
    expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'settled']);
  });

  it('resolves after a failure', async () => {
    const turns = new SerialQueue();
    const first = waiting([], 'first');
    const failed = expect(turns.run(first.task)).rejects.toThrow('no store');
    first.fail('no store');
    await turns.settled();
    await failed;
  });
});

describe('any tasks', () => {
  it('start in order, one after the other, whichever are pending or fail', async () => {
    const kinds = fc.array(fc.constantFrom('sync', 'soon', 'later', 'fails'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(kinds, async (tasks) => {
        const turns = new SerialQueue();
        const log: string[] = [];
        const results = tasks.map((kind, index) =>
          turns.run(() => {
            log.push(`${index} begins`);
            if (kind === 'sync') {
              log.push(`${index} ends`);
              return undefined;
            }
            return (async () => {
              await (kind === 'later' ? macrotask() : undefined);
              log.push(`${index} ends`);
              if (kind === 'fails') throw new Error(`${index}`);
            })();
          }),
        );
        const settled = await Promise.allSettled(results);
        await turns.settled();
        expect(log).toEqual(tasks.flatMap((_kind, index) => [`${index} begins`, `${index} ends`]));
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(
          tasks.map((kind) => kind === 'fails'),
        );
        const waited = tasks.findIndex((kind) => kind !== 'sync');
        expect(results.findIndex((result) => result !== undefined)).toBe(waited);
      }),
      { numRuns: 300 },
    );
  });
});
