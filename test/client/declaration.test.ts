import { describe, expect, it } from 'vitest';
import { type Declaration, readDeclaration } from '../../src/client/index.js';
import { EXTENSION_ID } from '../../src/protocol/messages/wire.js';
import { clientV1, connectHost, inMemory, policy, TOOLS } from './hosts.js';

const declare = (declared: unknown): Declaration =>
  readDeclaration({ extensions: { [EXTENSION_ID]: declared } });

describe('nothing declared', () => {
  it.each([
    ['a client without a connection', undefined, 'not-connected'],
    ['capabilities without extensions', {}, 'not-declared'],
    ['another extension', { extensions: { 'other/one': {} } }, 'not-declared'],
    ['a declaration that is no object', { extensions: { [EXTENSION_ID]: 'yes' } }, 'not-declared'],
    [
      'a declaration from the prototype',
      { extensions: Object.create({ [EXTENSION_ID]: {} }) },
      'not-declared',
    ],
    ['no object', 7, 'not-declared'],
  ])('is said as data of %s', (_of, capabilities, why) => {
    expect(readDeclaration(capabilities)).toEqual({ declared: false, why });
  });

  it('is said as data of a server without a policy, which is sent nothing of concerns', async () => {
    const { concerns, sent } = await connectHost(clientV1(), inMemory(undefined), {
      preferences: { security: 'high' },
      over: true,
    });
    expect(concerns.declaration).toEqual({ declared: false, why: 'not-declared' });
    expect(concerns.problems).toEqual([]);
    expect(await concerns.set({ security: 'low' })).toEqual({ by: 'nothing', why: 'not-declared' });
    expect((await concerns.listTools()).tools).toHaveLength(TOOLS.length);
    expect(await concerns.resend()).toEqual({ by: 'nothing', why: 'not-declared' });
    expect(JSON.stringify(sent)).not.toContain('security');
    expect(concerns.preferences).toEqual({ security: 'low' });
  });

  it('is said as data before there is a connection, and after it', async () => {
    const { client, concerns } = await connectHost(clientV1(), inMemory(policy));
    expect(concerns.declaration).toMatchObject({ declared: true });
    await client.close();
    expect(concerns.declaration).toEqual({ declared: false, why: 'not-connected' });
    expect(await concerns.set({ security: 'high' })).toEqual({ by: 'nothing', why: 'not-connected' });
  });
});

describe('a declaration', () => {
  it('leaves out what is no concern', () => {
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
    const usual = { match: 'exact', multiple: false, setBy: 'host' };
    expect(declaration).toEqual({
      declared: true,
      concerns: [
        { ...good, ...usual },
        { name: 'odd', values: ['a'], ...usual },
      ],
      presets: { safe: { security: 'high' }, broken: {} },
      methods: ['listConcerns'],
      filtering: { tools: ['namePatterns'] },
      updatable: false,
    });
  });

  it('without any part is one of no concerns', () => {
    expect(declare({})).toEqual({
      declared: true,
      concerns: [],
      presets: {},
      methods: [],
      filtering: {},
      updatable: false,
    });
  });

  it('says whether preferences can be updated', () => {
    expect(declare({ methods: ['updateConcerns'] })).toMatchObject({ updatable: true });
  });
});
