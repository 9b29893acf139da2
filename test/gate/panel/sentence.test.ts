import { describe, expect, it } from 'vitest';
import type { PanelConcern } from '../../../src/core/gate/panel/panel-document.js';
import { errorResult, summaryOf, textResult } from '../../../src/core/gate/panel/sentence.js';
import { panelDocument } from './panel-document.js';

const concern = (name: string, rest: Partial<PanelConcern>): PanelConcern => ({
  name,
  match: 'exact',
  multiple: false,
  setBy: 'host',
  inEffect: [],
  ...rest,
});
const COUNTS = '1 of 4 tools are shown (about 10 of 50 tokens).';

describe('the sentence about what is shown', () => {
  it.each<[string, PanelConcern[], string]>([
    ['no concern', [], 'No preferences are in effect.'],
    ['no value', [concern('a', {})], 'No preferences are in effect.'],
    ['a value', [concern('a', { inEffect: ['x'], origin: 'session' })], 'In effect: a x.'],
    ['several values', [concern('a', { inEffect: ['x', 2] })], 'In effect: a x or 2.'],
    [
      'several concerns',
      [concern('a', { inEffect: ['x'] }), concern('none', {}), concern('b', { inEffect: [0] })],
      'In effect: a x, b 0.',
    ],
    [
      'a value of the model',
      [concern('a', { inEffect: ['x'], origin: 'model', model: ['x'] })],
      'In effect: a x (chosen by the model).',
    ],
    [
      'a value that the model narrows',
      [concern('a', { inEffect: ['x'], origin: 'session', model: ['y', 'z'] })],
      'In effect: a x, narrowed by the model to y or z.',
    ],
    ['no value of the model', [concern('a', { inEffect: ['x'], model: [] })], 'In effect: a x.'],
  ])('tells %s', (_what, concerns, sentence) => {
    expect(summaryOf(panelDocument({ concerns }))).toBe(`${COUNTS} ${sentence}`);
  });
});

it('is in a result of text, one line for each', () => {
  expect(textResult()).toEqual({ content: [{ type: 'text', text: '' }] });
  expect(textResult('one', 'two')).toEqual({ content: [{ type: 'text', text: 'one\ntwo' }] });
  expect(errorResult('no')).toEqual({ content: [{ type: 'text', text: 'no' }], isError: true });
});
