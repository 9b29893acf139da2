import { describe, expect, it } from 'vitest';
import { inputSchemaFor } from '../../../src/core/gate/lists/model-parameters.js';
import { policyOf } from '../gate-harness.js';

const { concerns } = policyOf(`
concerns:
  topic: { values: [news, maps], model: free }
  area: { values: [north, south], multiple: true, model: narrow, description: Where it happens }
  budget: { values: { min: -1, max: 20 }, model: free, description: What it costs }
`);

const FREE = 'Replaces the value in effect. "any" shows all values.';
const NARROW = 'Hides more, and never shows more than the person chose. "any" removes what you set.';

const ABOUT_TOOLS = {
  list: { type: 'boolean', description: expect.any(String) },
  find: { type: 'string', description: expect.any(String) },
  show: { type: 'array', items: { type: 'string' }, maxItems: 50, description: expect.any(String) },
};

describe('the parameters of the model', () => {
  it('are one property for each concern, with its values and what it does', () => {
    expect(inputSchemaFor(concerns)).toEqual({
      type: 'object',
      properties: {
        ...ABOUT_TOOLS,
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

  it('are none about hidden tools where a model can only hide more', () => {
    const [, area] = concerns;
    expect(Object.keys(inputSchemaFor(area === undefined ? [] : [area]).properties)).toEqual(['area']);
    expect(inputSchemaFor([])).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  it('say what the values mean, each as long as there is room for all', () => {
    const meaning = (count: number, text = 'x, '.repeat(80)) => {
      const values = Array.from({ length: count }, (_, index) => `{ v${index}: "${text}" }`);
      const { concerns } = policyOf(`concerns: { topic: { values: [${values.join(', ')}], model: free } }\n`);
      const { topic } = inputSchemaFor(concerns).properties as { topic?: { description?: string } };
      return topic?.description?.slice(FREE.length);
    };
    const xs = (count: number) => Array(count).fill('x').join(', ');
    expect(meaning(2)).toBe(` v0: ${xs(80)}, ; v1: ${xs(80)}, .`);
    expect(meaning(10)).toContain(` v0: ${xs(22)}; v1: `);
    expect(meaning(53)).toContain(` v0: ${xs(4)}; v1: `);
    expect(meaning(54)).toBe('');
    // Never a part of a name: with it, a model would call a tool that does not exist.
    const names = 'list-my-calendar-permissions, create-my-calendar-permission';
    expect(meaning(20, names)).toContain(` v0: list-my-calendar-permissions; v1: `);
    expect(meaning(30, names)).toContain(' v0; v1; ');
    expect(meaning(30, `All other tools: ${names}`)).toContain(' v0: All other tools; v1: ');
  });
});
