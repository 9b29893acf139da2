import { expect, it } from 'vitest';
import { questionCapabilities } from '../../../src/core/gate/concerns/question-capabilities.js';

it.each([
  [undefined, {}],
  ['elicitation', {}],
  [{ tasks: {}, experimental: { large: 'x' } }, {}],
  [{ elicitation: {} }, { elicitation: {} }],
  [{ elicitation: { form: { large: 'x' } } }, { elicitation: { form: {} } }],
  [{ elicitation: { form: {}, url: {}, other: {} } }, { elicitation: { form: {}, url: {} } }],
  [
    { sampling: { tools: {} }, roots: { listChanged: true } },
    { sampling: {}, roots: {} },
  ],
])('keeps of %j: %j', (capabilities, kept) => {
  expect(questionCapabilities(capabilities)).toEqual(kept);
});
