import { describe, expect, it } from 'vitest';
import { type Declaration, readDeclaration } from '../../src/client/index.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { clientV1, connectHost, inMemory, policy, TOOLS } from './hosts.js';

const declare = (declared: unknown): Declaration =>
  readDeclaration({ extensions: { [EXTENSION_ID]: declared } });

describe('a missing declaration', () => {
  it.each([
    ['undefined capabilities', undefined, 'not-connected'],
    ['capabilities without extensions', {}, 'not-declared'],
    ['another extension', { extensions: { 'other/one': {} } }, 'not-declared'],
    ['a declaration that is not an object', { extensions: { [EXTENSION_ID]: 'yes' } }, 'not-declared'],
    [
      'a declaration from the prototype',
      { extensions: Object.create({ [EXTENSION_ID]: {} }) },
      'not-declared',
    ],
    ['a number', 7, 'not-declared'],
  ])('is reported without an error for %s', (_case, capabilities, reason) => {
    expect(readDeclaration(capabilities)).toEqual({ declared: false, reason });
  });

  it('is reported for a server without a policy, which never receives preferences', async () => {
    const { concerns, sent } = await connectHost(clientV1(), inMemory(undefined), {
      preferences: { security: 'high' },
      over: true,
    });
    expect(concerns.declaration).toEqual({ declared: false, reason: 'not-declared' });
    expect(concerns.problems).toEqual([]);
    expect(await concerns.set({ security: 'low' })).toEqual({ via: 'none', reason: 'not-declared' });
    expect((await concerns.listTools()).tools).toHaveLength(TOOLS.length);
    expect(await concerns.resend()).toEqual({ via: 'none', reason: 'not-declared' });
    expect(JSON.stringify(sent)).not.toContain('security');
    expect(concerns.preferences).toEqual({ security: 'low' });
  });

  it('is reported before the client connects and after it closes', async () => {
    const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
    expect(concerns.declaration).toMatchObject({ declared: true });
    await client.close();
    expect(concerns.declaration).toEqual({ declared: false, reason: 'not-connected' });
    expect(await concerns.set({ security: 'high' })).toEqual({ via: 'none', reason: 'not-connected' });
  });
});

describe('a declaration', () => {
  it('leaves out invalid entries', () => {
    const good = { name: 'security', values: ['low', 'high'] };
    const declaration = declare({
      concerns: [
        good,
        7,
        null,
        { name: 7, values: [] },
        { name: 'range', values: { min: '0', max: 1 } },
        { name: 'none' },
        {
          name: 'odd',
          values: ['a', 1],
          match: 'roughly',
          setBy: 'nobody',
          multiple: 'yes',
          description: 1,
          default: [],
        },
      ],
      presets: { safe: { security: 'high' }, broken: 1 },
      methods: ['listConcerns', 7],
      filtering: { tools: ['namePatterns'], prompts: 'all', tasks: ['status'] },
    });
    const defaults = { match: 'exact', multiple: false, setBy: 'host' };
    expect(declaration).toEqual({
      declared: true,
      concerns: [
        { ...good, ...defaults },
        { name: 'odd', values: ['a'], ...defaults },
      ],
      presets: { safe: { security: 'high' }, broken: {} },
      methods: ['listConcerns'],
      filtering: { tools: ['namePatterns'] },
      updatable: false,
    });
  });

  it('may be empty', () => {
    expect(declare({})).toEqual({
      declared: true,
      concerns: [],
      presets: {},
      methods: [],
      filtering: {},
      updatable: false,
    });
  });

  it('tells whether preferences can be updated', () => {
    expect(declare({ methods: ['updateConcerns'] })).toMatchObject({ updatable: true });
  });
});
