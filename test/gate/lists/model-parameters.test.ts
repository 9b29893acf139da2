import { describe, expect, it } from 'vitest';
import { inputSchemaFor } from '../../../src/gate/lists/model-parameters.js';
import { policyOf } from '../gate-harness.js';

const { concerns } = policyOf(`
concerns:
  topic: { values: [news, maps], model: free }
  area: { values: [north, south], multiple: true, model: narrow, description: Where it happens }
  budget: { values: { min: -1, max: 20 }, model: free, description: What it costs }
`);

const FREE = 'Replaces the value in effect. "any" shows all values.';
const NARROW = 'Hides more, and never shows more than the person chose. "any" removes what you set.';

describe('the parameters of the model', () => {
  it('are one property for each concern, with its values and what it does', () => {
    expect(inputSchemaFor(concerns)).toEqual({
      type: 'object',
      properties: {
        topic: { type: 'string', enum: ['news', 'maps', 'any'], description: FREE },
        area: {
          type: 'array',
          items: { type: 'string', enum: ['north', 'south', 'any'] },
          description: `Where it happens. ${NARROW}`,
        },
        budget: {
          anyOf: [
            { type: 'number', minimum: -1, maximum: 20 },
            { type: 'string', enum: ['any'] },
          ],
          description: `What it costs. ${FREE}`,
        },
      },
      additionalProperties: false,
    });
  });

  it('are none without concerns', () => {
    expect(inputSchemaFor([])).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });
});
