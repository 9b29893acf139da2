import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/client/carry.js';
import { Refresher } from '../../src/client/changes.js';

/** A refresher whose lists come when they are let go, in the order in which they were asked for. */
function refresher() {
  const asked: Kind[] = [];
  const waiting: (() => void)[] = [];
  const refreshing = new Refresher({
    take: (kind) => {
      asked.push(kind);
      const list = { at: asked.length };
      return new Promise((resolve) => waiting.push(() => resolve(list)));
    },
    has: () => true,
    report: () => undefined,
  });
  const settle = () => new Promise((done) => setTimeout(done, 1));
  const letGo = async () => {
    waiting.shift()?.();
    await settle();
  };
  return { asked, letGo, refreshing, settle };
}

const changed = (capability: string) => ({ method: `notifications/${capability}/list_changed` });

describe('lists that are stale', () => {
  it('are taken one after the other, never two at a time', async () => {
    const { asked, letGo, refreshing, settle } = refresher();
    refreshing.watch(['tools', 'prompts'], () => undefined);
    refreshing.notice(changed('prompts'));
    refreshing.notice(changed('tools'));
    await settle();
    expect(asked).toEqual(['tools']);
    refreshing.notice(changed('resources'));
    await settle();
    expect(asked).toEqual(['tools']);
    await letGo();
    expect(asked).toEqual(['tools', 'prompts']);
  });

  it('are taken again where they become stale meanwhile, once', async () => {
    const { asked, letGo, refreshing, settle } = refresher();
    const told: unknown[] = [];
    refreshing.watch(['tools'], (taken) => void told.push(taken));
    refreshing.notice(changed('tools'));
    await settle();
    refreshing.notice(changed('tools'));
    refreshing.notice(changed('tools'));
    await letGo();
    expect(asked).toEqual(['tools', 'tools']);
    await letGo();
    expect(told).toEqual([
      { kind: 'tools', list: { at: 1 } },
      { kind: 'tools', list: { at: 2 } },
    ]);
    expect(asked).toHaveLength(2);
  });

  it('are told to those who watch them', async () => {
    const { letGo, refreshing, settle } = refresher();
    const told: string[] = [];
    refreshing.watch(['tools'], ({ kind }) => void told.push(`first ${kind}`));
    refreshing.watch(['prompts', 'tools'], ({ kind }) => void told.push(`second ${kind}`));
    refreshing.notice(changed('tools'));
    refreshing.notice(changed('prompts'));
    await settle();
    await letGo();
    await letGo();
    expect(told).toEqual(['first tools', 'second tools', 'second prompts']);
  });

  it('wait for a change under way, also where they became stale before it', async () => {
    const { asked, letGo, refreshing, settle } = refresher();
    refreshing.watch(['tools', 'prompts'], () => undefined);
    refreshing.notice(changed('tools'));
    refreshing.notice(changed('prompts'));
    await settle();
    let finish = (): void => undefined;
    const change = refreshing.during(
      () =>
        new Promise<void>((done) => {
          finish = done;
        }),
      () => false,
    );
    await letGo();
    expect(asked).toEqual(['tools']);
    finish();
    await change;
    await settle();
    expect(asked).toEqual(['tools', 'prompts']);
  });

  it('are not those of other notifications', async () => {
    const { asked, refreshing, settle } = refresher();
    refreshing.watch(['tools'], () => undefined);
    refreshing.notice({ method: 'notifications/message' });
    refreshing.notice({ id: 1, result: {} });
    refreshing.notice(changed('prompts'));
    await settle();
    expect(asked).toEqual([]);
  });
});
