import { expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/engine/configuration.js';
import { forUrl } from '../../../src/gate/panel/next-requests.js';
import { EXTENSION_ID } from '../../../src/wire/messages.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns:
  security: { values: [low, high] }
  topic: { values: [news, stocks], multiple: true }
  budget: { values: { min: 0, max: 9 } }
`);

it.each<[object, string]>([
  [{}, '?concerns='],
  [{ security: 'high' }, '?concerns=security:high'],
  [
    { budget: 0, topic: ['news', 'stocks'], security: 'low' },
    '?concerns=security:low,topic:news|stocks,budget:0',
  ],
  [{ security: null, topic: ['news'] }, '?concerns=topic:news'],
])('puts %j into the URL as %s', (concerns, parameter) => {
  const update = resolveConfiguration(policy, [{ from: 'update', concerns }]);
  expect(forUrl(update)).toEqual({ parameter, _meta: { [EXTENSION_ID]: { concerns } } });
});
