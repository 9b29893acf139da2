import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import type { Primitive } from '../../src/core/engine/mapping.js';
import { pinsOf } from '../../src/core/engine/pins.js';
import { weakerHints } from '../../src/core/engine/present.js';
import { bindCatalog, select } from '../../src/core/engine/select.js';
import { policyFromText } from '../policy-text.js';

const tree = { name: 'tree', description: 'A long text.', annotations: { destructiveHint: true }, icons: [] };

const listed = (present: object, more = '', tools: readonly Primitive[] = [tree]) => {
  const policy = policyFromText(
    `version: 1\npresent: ${JSON.stringify({ tools: { tree: present } })}\n${more}`,
  );
  const bound = bindCatalog(policy, 'tools', tools);
  return { bound, shown: select(bound, resolveConfiguration(policy, [])).kept };
};

describe('what a policy presents', () => {
  it('replaces texts, adds hints, and leaves the rest as the server wrote it', () => {
    const { shown } = listed({ title: 'Tree', description: 'Short.', annotations: { openWorldHint: true } });
    expect(shown).toEqual([
      {
        name: 'tree',
        title: 'Tree',
        description: 'Short.',
        annotations: { destructiveHint: true, openWorldHint: true },
        icons: [],
      },
    ]);
  });

  it.each([
    [{ readOnlyHint: false }, { readOnlyHint: true }, ['readOnlyHint']],
    [{ destructiveHint: true }, { readOnlyHint: true }, ['readOnlyHint']],
    [{ destructiveHint: true }, { destructiveHint: false }, ['destructiveHint']],
    [{ idempotentHint: false }, { idempotentHint: true }, ['idempotentHint']],
    [{ openWorldHint: true }, { openWorldHint: false }, ['openWorldHint']],
    [{ readOnlyHint: true }, { readOnlyHint: false, destructiveHint: true }, []],
    [{ openWorldHint: false, idempotentHint: true }, { openWorldHint: true, idempotentHint: false }, []],
    [{}, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }, []],
    [undefined, { readOnlyHint: true }, []],
  ])('over %j, of %j these promise less harm: %j', (own, annotations, weaker) => {
    expect(weakerHints({ name: 'tree', annotations: own }, { annotations })).toEqual(weaker);
    const { bound, shown } = listed({ annotations }, '', [{ name: 'tree', annotations: own }]);
    expect(bound.weakened).toEqual(weaker.length === 0 ? [] : ['tree']);
    const names: readonly string[] = weaker;
    const kept = Object.fromEntries(Object.entries(annotations).filter(([hint]) => !names.includes(hint)));
    expect(shown[0]?.annotations).toEqual({ ...own, ...kept });
  });

  it('is not what rules and pins read', () => {
    const when = '{ "===": [{ var: primitive.description }, A long text.] }';
    const rules = `rules: [{ id: long, hide: [tools], when: ${when} }]\n`;
    expect(listed({ description: 'Short.' }, rules).shown).toEqual([]);
    const policy = policyFromText('version: 1\npresent: { tools: { tree: { description: Short. } } }\n');
    const digests = new Map(Object.entries(pinsOf({ tools: [tree] }).tools));
    const none = new Map<string, string>();
    const pins = {
      digests: { tools: digests, prompts: none, resources: none, resourceTemplates: none },
      changed: 'hide' as const,
    };
    const changedIn = (tool: object) => bindCatalog({ ...policy, pins }, 'tools', [tool]).changed;
    expect([changedIn(tree), changedIn({ ...tree, description: 'Poison.' })]).toEqual([[], ['tree']]);
  });
});
