import { expect, it } from 'vitest';
import type { Settings } from '../../../src/core/engine/policy.js';
import { whyOnlyLook } from '../../../src/core/gate/panel/how-to-switch.js';

const READ_ONLY =
  'The panel is read-only, so nothing can be changed here. To allow changes, set "panel: on" under "settings" in the policy. If the policy does not set it, run "mcp-concerns serve" with "--panel on".';
const SHADOW =
  'Under "enforcement: shadow" nothing is hidden, so nothing can be changed here. Set another "enforcement" under "settings" in the policy first.';

it.each<[Settings['panel'], Settings['enforcement'], string | undefined]>([
  [undefined, 'advisory', undefined],
  ['off', 'shadow', undefined],
  ['on', 'advisory', undefined],
  ['on', 'enforce', undefined],
  ['on', 'shadow', SHADOW],
  ['read-only', 'advisory', READ_ONLY],
  ['read-only', 'shadow', READ_ONLY],
])('with panel: %s under %s, people can only look: %s', (panel, enforcement, why) => {
  const settings = {
    unmapped: 'show',
    defaults: 'aware',
    invalid: 'error',
    enforcement,
    transparency: false,
    ...(panel === undefined ? {} : { panel }),
  } as const;
  expect(whyOnlyLook(settings)).toBe(why);
});
