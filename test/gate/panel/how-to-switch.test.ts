import { describe, expect, it } from 'vitest';
import { howToSwitch, whyReadOnly } from '../../../src/core/gate/panel/how-to-switch.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { modern, Talk } from '../concerns/talk.js';
import { HOW, NO_PRESETS, NOT_KEPT, ON, ONLY_LOOK, READ_ONLY } from './panel-policy.js';

const call = (talk: Talk, params = {}) => talk.exchange('tools/call', { name: 'concerns', ...params });
const SHADOW = expect.stringMatching(/^Under "enforcement: shadow" nothing is hidden/);

describe('how a person can switch', () => {
  it.each([
    ['with presets', ON, HOW],
    ['without presets', NO_PRESETS, 'A person can change what is shown with the prompt "concerns".'],
  ])('is with prompts %s', (_what, policy, text) => {
    const exchange = call(new Talk(policy));
    expect(whyReadOnly(exchange)).toBeUndefined();
    expect(howToSwitch(exchange)).toBe(text);
  });

  it('is said also to a caller whose preferences are kept', () => {
    const principal = { place: 'store', store: createMemoryStore(), id: 'caller' } as const;
    expect(whyReadOnly(call(new Talk(ON, { principal }), modern()))).toBeUndefined();
  });

  it.each([
    ['the panel is read-only', new Talk(READ_ONLY), {}, ONLY_LOOK],
    ['nothing is kept', new Talk(ON, { preferences: { place: 'none' } }), {}, NOT_KEPT],
    ['the request is modern', new Talk(ON), modern(), NOT_KEPT],
    ['the panel is read-only, and nothing is kept', new Talk(READ_ONLY), modern(), ONLY_LOOK],
  ])('is the reason why nobody can, if %s', (_what, talk, params, why) => {
    const exchange = call(talk, params);
    expect(whyReadOnly(exchange)).toBe(why);
    expect(howToSwitch(exchange)).toBe(why);
  });

  it('is the reason why nobody can under shadow', () => {
    const shadow = { ...ON, settings: { ...ON.settings, enforcement: 'shadow' as const } };
    expect(howToSwitch(call(new Talk(shadow)))).toEqual(SHADOW);
  });
});
