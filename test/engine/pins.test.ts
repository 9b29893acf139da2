import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { changeOf, definitionDigest, pinsOf, sortedJson } from '../../src/core/engine/pins.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { bindCatalog, select } from '../../src/core/engine/select.js';
import { outsideEntry } from '../../src/core/engine/servers/outside-names.js';
import { parseExact } from '../../src/core/exact-json.js';
import { parsePolicy } from '../../src/core/policy/compile/parse.js';

const tree = {
  name: 'tree',
  description: 'Get a tree view.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, 10: {}, 2: {} } },
};

describe('the digest of a definition', () => {
  it('does not depend on the order of members, nor on the name', () => {
    const { name: _, description, inputSchema } = tree;
    const properties = { 2: {}, path: { type: 'string' }, 10: {} };
    const other = {
      inputSchema: { properties, type: inputSchema.type },
      description,
      name: 'b',
    };
    expect(definitionDigest('tools', other)).toBe(definitionDigest('tools', tree));
  });

  it.each([
    ['description', { description: 'Rid a tree view.' }],
    ['title', { title: 'Tree' }],
    ['the title in annotations', { annotations: { title: 'Tree' } }],
    ['icons', { icons: [{ src: 'https://icons.example/tree.png' }] }],
    ['annotations', { annotations: { readOnlyHint: false } }],
    ['_meta', { _meta: { concerns: { access: 'read' } } }],
    ['inputSchema', { inputSchema: { type: 'object', properties: { path: { type: 'number' } } } }],
  ])('differs if %s does', (_what, change) => {
    expect(definitionDigest('tools', { ...tree, ...change })).not.toBe(definitionDigest('tools', tree));
  });

  it('is that of earlier versions if the definition has no icons', () => {
    expect(definitionDigest('tools', tree)).toBe('47d71cdf832f5bce667bb4f5df750303');
  });

  it('is another one if only the icon differs that a person is shown', () => {
    const icon = (src: string) => ({ ...tree, icons: [{ src, mimeType: 'image/png' }] });
    expect(definitionDigest('tools', icon('a'))).not.toBe(definitionDigest('tools', icon('b')));
    const outside = outsideEntry('files', 'tools', icon('a'));
    expect(definitionDigest('tools', outside)).toBe(definitionDigest('tools', icon('a')));
  });

  it('is the same behind several servers', () => {
    const outside = outsideEntry('files', 'tools', tree);
    expect(outside).toMatchObject({ name: 'files__tree', _meta: {} });
    expect(definitionDigest('tools', outside)).toBe(definitionDigest('tools', tree));
    const own = { ...tree, _meta: { tags: ['a'] } };
    expect(definitionDigest('tools', outsideEntry('files', 'tools', own))).toBe(
      definitionDigest('tools', own),
    );
    expect(definitionDigest('tools', own)).not.toBe(definitionDigest('tools', tree));
  });

  it('does not change with the content of a resource', () => {
    const file = { uri: 'file:///a', name: 'a', size: 1, annotations: { lastModified: '2026-01-01' } };
    const later = { ...file, size: 2, annotations: { lastModified: '2026-02-02' } };
    expect(definitionDigest('resources', later)).toBe(definitionDigest('resources', file));
    expect(definitionDigest('resources', { ...file, name: 'b' })).not.toBe(
      definitionDigest('resources', file),
    );
  });

  it('is one that no pin has if the definition nests too deeply', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    expect(definitionDigest('tools', { ...tree, _meta: deep })).toBe('');
  });
});

describe('a policy with pins', () => {
  const policyWith = (settings: string) => {
    const { compiled } = parsePolicy(new Map([['policy.yaml', `version: 1\nsettings: ${settings}\n`]]));
    if (compiled === undefined) throw new Error('not a policy');
    return preparePolicy({ ...compiled, pins: pinsOf({ tools: [tree, { ...tree, name: 'other' }] }) });
  };
  const poisoned = { ...tree, description: 'Rid a tree view.' };
  const listed = [poisoned, { ...tree, name: 'other' }, { ...tree, name: 'added' }];
  const selected = (settings: string) => {
    const policy = policyWith(settings);
    const bound = bindCatalog(policy, 'tools', listed);
    return { ...select(bound, resolveConfiguration(policy, [])), changed: bound.changed };
  };

  it.each(['{ changed: hide }', '{ enforcement: enforce }'])(
    'hides changed and new definitions with %s',
    (settings) => {
      const { kept, hidden, changed } = selected(settings);
      expect(kept.map(({ name }) => name)).toEqual(['other']);
      expect(hidden).toEqual({ changed: 2 });
      expect(changed).toEqual(['tree', 'added']);
    },
  );

  it('shows them and names them for the log by default', () => {
    const { kept, changed } = selected('{}');
    expect([kept.length, changed]).toEqual([3, ['tree', 'added']]);
  });

  it('does not look at them with changed: show', () => {
    const { kept, changed } = selected('{ changed: show }');
    expect([kept.length, changed]).toEqual([3, []]);
  });

  it('tells how a definition differs', () => {
    const policy = policyWith('{}');
    expect(listed.map((each) => changeOf(policy, 'tools', each))).toEqual(['changed', undefined, 'new']);
    expect(changeOf(policy, 'tools', { ...tree, name: '__proto__' })).toBe('new');
  });
});

describe('numbers that JavaScript cannot hold', () => {
  const withMaximum = (maximum: string) =>
    Object(parseExact(`{"name":"a","inputSchema":{"properties":{"id":{"maximum":${maximum}}}}}`));

  it('make a difference to the digest, which is that of another version of Node.js', () => {
    const [one, other] = [withMaximum('9007199254740993'), withMaximum('9007199254740992')];
    expect(definitionDigest('tools', one)).not.toBe(definitionDigest('tools', other));
    expect(sortedJson(one.inputSchema)).toBe('{"properties":{"id":{"maximum":9007199254740993}}}');
  });

  it('that only look different have the digest of the number', () => {
    expect(definitionDigest('tools', withMaximum('1.0'))).toBe(definitionDigest('tools', withMaximum('1')));
  });

  it('hold with a pin that has the number of JavaScript, which earlier versions wrote', () => {
    const given = withMaximum('9007199254740993');
    const { compiled } = parsePolicy(new Map([['policy.yaml', 'version: 1\n']]));
    if (compiled === undefined) throw new Error('not a policy');
    const policyWith = (pinned: object) => preparePolicy({ ...compiled, pins: pinsOf({ tools: [pinned] }) });
    const rounded = JSON.parse(
      '{"name":"a","inputSchema":{"properties":{"id":{"maximum":9007199254740993}}}}',
    );
    expect(changeOf(policyWith(rounded), 'tools', given)).toBeUndefined();
    expect(changeOf(policyWith(given), 'tools', given)).toBeUndefined();
    expect(changeOf(policyWith(given), 'tools', rounded)).toBe('changed');
    expect(changeOf(policyWith(given), 'tools', withMaximum('9007199254740995'))).toBe('changed');
  });
});
