import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ListRefresher } from '../../src/client/list-refresher.js';
import type { Kind } from '../../src/client/request-meta.js';

/** A refresher whose requests are answered one at a time, by `answerNext`, in the order in which they were sent. */
function createRefresher() {
  const requested: Kind[] = [];
  const waiting: (() => void)[] = [];
  const refresher = new ListRefresher(
    (kind) => {
      requested.push(kind);
      const list = { at: requested.length };
      return new Promise((resolve) => waiting.push(() => resolve(list)));
    },
    () => true,
    () => undefined,
  );
  const settle = () => vi.runAllTimersAsync();
  const answerNext = async () => {
    waiting.shift()?.();
    await settle();
  };
  return { requested, answerNext, refresher, settle };
}

const changed = (capability: string) => ({ method: `notifications/${capability}/list_changed` });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('stale lists', () => {
  it('are fetched once if the server announces them just after its answer to the update', async () => {
    const { requested, answerNext, refresher, settle } = createRefresher();
    refresher.listen(['tools', 'prompts'], () => undefined);
    await refresher.duringUpdate(
      () => Promise.resolve(),
      () => true,
    );
    await vi.advanceTimersByTimeAsync(10);
    refresher.handleMessage(changed('prompts'));
    refresher.handleMessage(changed('tools'));
    await settle();
    await answerNext();
    await answerNext();
    expect(requested).toEqual(['tools', 'prompts']);
  });

  it('are fetched one after the other', async () => {
    const { requested, answerNext, refresher, settle } = createRefresher();
    refresher.listen(['tools', 'prompts'], () => undefined);
    refresher.handleMessage(changed('prompts'));
    refresher.handleMessage(changed('tools'));
    await settle();
    expect(requested).toEqual(['tools']);
    refresher.handleMessage(changed('resources'));
    await settle();
    expect(requested).toEqual(['tools']);
    await answerNext();
    expect(requested).toEqual(['tools', 'prompts']);
  });

  it('are fetched once more if they become stale again during the request', async () => {
    const { requested, answerNext, refresher, settle } = createRefresher();
    const received: unknown[] = [];
    refresher.listen(['tools'], (fetched) => void received.push(fetched));
    refresher.handleMessage(changed('tools'));
    await settle();
    refresher.handleMessage(changed('tools'));
    refresher.handleMessage(changed('tools'));
    await answerNext();
    expect(requested).toEqual(['tools', 'tools']);
    await answerNext();
    expect(received).toEqual([
      { kind: 'tools', list: { at: 1 } },
      { kind: 'tools', list: { at: 2 } },
    ]);
    expect(requested).toHaveLength(2);
  });

  it('are passed only to listeners for their kind', async () => {
    const { answerNext, refresher, settle } = createRefresher();
    const received: string[] = [];
    refresher.listen(['tools'], ({ kind }) => void received.push(`first ${kind}`));
    refresher.listen(['prompts', 'tools'], ({ kind }) => void received.push(`second ${kind}`));
    refresher.handleMessage(changed('tools'));
    refresher.handleMessage(changed('prompts'));
    await settle();
    await answerNext();
    await answerNext();
    expect(received).toEqual(['first tools', 'second tools', 'second prompts']);
  });

  it('are not fetched during an update, even if they became stale before it', async () => {
    const { requested, answerNext, refresher, settle } = createRefresher();
    refresher.listen(['tools', 'prompts'], () => undefined);
    refresher.handleMessage(changed('tools'));
    refresher.handleMessage(changed('prompts'));
    await settle();
    let finish = (): void => undefined;
    const update = refresher.duringUpdate(
      () =>
        new Promise<void>((done) => {
          finish = done;
        }),
      () => false,
    );
    await answerNext();
    expect(requested).toEqual(['tools']);
    finish();
    await update;
    await settle();
    expect(requested).toEqual(['tools', 'prompts']);
  });

  it('are not fetched after other messages or for kinds without a listener', async () => {
    const { requested, refresher, settle } = createRefresher();
    refresher.listen(['tools'], () => undefined);
    refresher.handleMessage({ method: 'notifications/message' });
    refresher.handleMessage({ id: 1, result: {} });
    refresher.handleMessage(changed('prompts'));
    await settle();
    expect(requested).toEqual([]);
  });
});
