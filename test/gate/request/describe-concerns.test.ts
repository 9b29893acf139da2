import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { describeConcerns, NO_REPORT, storeWarning } from '../../../src/core/gate/request/report.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf('concerns: { security: { values: [low, high], model: free } }\n');
const none = resolveConfiguration(policy, []);
const high = resolveConfiguration(policy, [{ from: 'header', concerns: { security: 'high' } }]);
const model = resolveConfiguration(policy, [{ from: 'model', concerns: { security: 'low' } }]);
const WARNINGS = [{ code: 'w', message: 'A warning.' }];

describe('the part of a report about concerns', () => {
  it('has no empty members', () => {
    expect(describeConcerns(none, [])).toStrictEqual({ concerns: {}, warnings: [] });
    expect(describeConcerns(none, [], { shown: 1, total: 1, hidden: {} })).toStrictEqual({
      concerns: {},
      shown: 1,
      total: 1,
      warnings: [],
    });
  });

  it('has the values in effect, with their sources, the counts and the warnings', () => {
    const hidden = { concerns: { security: 2 }, filter: 1 };
    expect(describeConcerns(high, WARNINGS, { shown: 1, total: 4, hidden })).toStrictEqual({
      concerns: { security: 'high' },
      sources: { security: 'header' },
      shown: 1,
      total: 4,
      hidden,
      warnings: WARNINGS,
    });
  });

  it('has what a model has set', () => {
    expect(describeConcerns(model, [])).toStrictEqual({
      concerns: { security: 'low' },
      sources: { security: 'model' },
      model: { security: 'low' },
      warnings: [],
    });
  });
});

describe('the warning about a store', () => {
  it('has the name of the error, and not its message', () => {
    expect(storeWarning('read', new RangeError('secret host'))).toEqual({
      code: 'store-unavailable',
      message: 'The session store could not be read (RangeError).',
    });
    const refused = Object.assign(new Error('secret host'), { code: 'ECONNREFUSED' });
    expect(storeWarning('read', new Error('secret host', { cause: refused })).message).toBe(
      'The session store could not be read (ECONNREFUSED).',
    );
    const odd = Object.assign(new Error('no'), { code: 'secret host:8000' });
    expect(storeWarning('read', odd).message).toBe('The session store could not be read (unknown).');
    expect(storeWarning('written', 'secret host')).toEqual({
      code: 'store-unavailable',
      message: 'The session store could not be written (unknown).',
    });
  });
});

it('discards reports without a function for them', () => {
  expect(NO_REPORT()).toBeUndefined();
});
