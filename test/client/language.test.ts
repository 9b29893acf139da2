import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { policyOf } from '../policy/author.js';
import { clientV1, connectHost, inMemory, LINKS, names } from './hosts.js';

const TEXT = `
version: 1
concerns:
  topic:
    values: [documents, { documents.drafts: Texts that nobody has read yet }, documents.final, charts]
    match: within
  security: { values: [low, high] }
primitives:
  tools:
    encrypt: { topic: documents.final, security: high }
    audit: { topic: documents }
    log: { topic: documents.drafts }
    draw: { topic: charts }
    open: {}
`;
const policy = policyOf(TEXT);
const RESULT = z.object({}).passthrough();

describe.each(LINKS)('$name', (link) => {
  it('declares hierarchies and descriptions of values', async () => {
    const { concerns } = await link.connect({ policy });
    const { declaration } = concerns;
    if (!declaration.declared) throw new Error('The server does not declare concerns.');
    expect(declaration.concerns[0]).toEqual({
      name: 'topic',
      values: ['documents', 'documents.drafts', 'documents.final', 'charts'],
      valueDescriptions: { 'documents.drafts': 'Texts that nobody has read yet' },
      match: 'within',
      multiple: false,
      setBy: 'host',
    });
  });

  it.each([
    ['documents', ['encrypt', 'audit', 'log', 'open']],
    ['documents.drafts', ['audit', 'log', 'open']],
    ['charts', ['draw', 'open']],
  ])('shows what is above and below %s', async (topic, expected) => {
    const { concerns } = await link.connect({ policy, preferences: { topic } });
    expect(names(await concerns.listTools())).toEqual(expected);
  });

  it('lets rules read the era', async () => {
    const hides = policyOf(
      'version: 1\nrules: [{ id: r, hide: [tools], when: { and: [{ "===": [{ var: protocol.era }, modern] }, { "===": [{ var: primitive.name }, log] }] } }]\n',
    );
    const { concerns } = await link.connect({ policy: hides });
    const expected = ['encrypt', 'audit', ...(link.era === 'modern' ? [] : ['log']), 'draw', 'open'];
    expect(names(await concerns.listTools())).toEqual(expected);
  });
});

describe('updateConcerns with a value that is not accepted', () => {
  const update = async (settings: string, earlier: object, later: object) => {
    const given = policyOf(`${TEXT}presets: { safe: { security: high } }\nsettings: ${settings}\n`);
    const { client } = await connectHost(clientV1(), inMemory(given));
    const send = (concerns: object) =>
      client.request({ method: 'updateConcerns', params: { concerns } }, RESULT);
    await send(earlier);
    return (await send(later)).concerns;
  };

  it.each(['{ invalid: ignore }', '{ invalid: clamp }'])(
    'keeps the earlier value under %s',
    async (settings) => {
      expect(await update(settings, { security: 'high', topic: 'charts' }, { security: 'hihg' })).toEqual({
        security: 'high',
      });
      expect(
        await update(settings, { security: 'high', topic: 'charts' }, { security: 7, topic: 'documents' }),
      ).toEqual({ security: 'high', topic: 'documents' });
      expect(await update(settings, {}, { security: 'hihg' })).toEqual({});
    },
  );

  it('keeps what an unknown preset could have set', async () => {
    expect(
      await update(
        '{ invalid: ignore }',
        { security: 'high', topic: 'charts' },
        { preset: 'saef', topic: null },
      ),
    ).toEqual({ security: 'high' });
  });

  it('is refused by default, and nothing changes', async () => {
    await expect(update('{}', { security: 'high' }, { security: 'hihg' })).rejects.toThrow();
  });
});
