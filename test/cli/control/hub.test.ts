import { expect, it } from 'vitest';
import { Hub } from '../../../src/cli/control/hub.js';
import type { ConnectionObserver } from '../../../src/core/gate/edge/concerns-options.js';
import type { PanelState } from '../../../src/core/gate/panel/panel-document.js';
import { stateOf } from '../../slow/browser/states.js';

/** A session whose host lists again while the change is made, as a fast one does. */
function sessionOf(hub: Hub, listsAgain: boolean, policy?: PanelState['policy']) {
  let preferences = {};
  const observer: ConnectionObserver = hub.observerOf('http')({
    client: { name: 'some-host' },
    panel: {
      state: async ({ session, sessions }) => {
        const state = stateOf('vault', { preferences });
        return { ...state, policy: policy ?? state.policy, session, sessions };
      },
      change: async (change) => {
        preferences = change;
        if (listsAgain) observer.listed();
        return { state: 'changed' };
      },
    },
  });
}

it.each([
  ['has listed again if a host lists while the change is announced', true, { security: 'high' }, true],
  ['has not listed again if a host does not list', false, { security: 'high' }, false],
  ['was not asked to list again if its list is the same', false, {}, null],
])('a session %s', async (_what, listsAgain, change, relisted) => {
  const hub = new Hub(async () => () => 1);
  sessionOf(hub, listsAgain);
  const [session] = (await hub.states()).map((state) => state.session);
  const { sessions } = await hub.change(session ?? '', change);
  expect(sessions.map((each) => each.relisted)).toEqual([relisted]);
});

it('a session says how many of its tools were never called, where calls are kept', async () => {
  const given: (readonly string[])[] = [];
  const hub = new Hub(
    async () => () => 1,
    (tools) => {
      given.push(tools);
      return { tools: 1, since: '2026-10-01' };
    },
  );
  sessionOf(hub, false);
  const [state] = await hub.states();
  expect(state?.uncalled).toEqual({ tools: 1, since: '2026-10-01' });
  const tools = state?.items.flatMap(({ kind, name }) => (kind === 'tools' ? [name] : []));
  expect(given).toEqual([tools]);
});

it('a session with stable lists was not asked to list again', async () => {
  const hub = new Hub(async () => () => 1);
  sessionOf(hub, false, { enforcement: 'advisory', lists: 'stable' });
  const [session] = (await hub.states()).map((state) => state.session);
  const { sessions } = await hub.change(session ?? '', { security: 'high' });
  expect(sessions.map((each) => each.relisted)).toEqual([null]);
});
