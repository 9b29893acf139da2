import { expect, it } from 'vitest';
import { Hub } from '../../../src/cli/control/hub.js';
import type { ConnectionObserver } from '../../../src/gate/edge/connection-state.js';
import { stateOf } from '../../slow/browser/states.js';

/** A session whose host lists again while the change is made, as a fast one does. */
function sessionOf(hub: Hub, listsAgain: boolean) {
  let preferences = {};
  const observer: ConnectionObserver = hub.observerOf('http')({
    client: { name: 'some-host' },
    panel: {
      state: async ({ session, sessions }) => ({ ...stateOf('vault', { preferences }), session, sessions }),
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
