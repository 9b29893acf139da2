import { describe, expect, it } from 'vitest';
import { PreferencesError, summaryOf } from '../../src/client/index.js';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { LINKS, names, policyWith, preferencesIn, SAFE, TOOLS } from './hosts.js';

const enforced = policyWith('{ enforcement: enforce }');

describe.each(LINKS)('$name', ({ era, via, connect }) => {
  it('has the era of its name, and the methods of that era', async () => {
    const { client, concerns } = await connect();
    const { getProtocolEra } = client as { getProtocolEra?: () => string };
    expect(getProtocolEra?.call(client) ?? 'legacy').toBe(era);
    expect(concerns.declaration).toMatchObject({
      declared: true,
      updatable: via === 'update',
    });
  });

  it('reads the declaration of the server', async () => {
    const { concerns } = await connect();
    expect(concerns.declaration).toMatchObject({
      declared: true,
      concerns: [
        {
          name: 'security',
          description: 'How safe it is',
          values: ['low', 'medium', 'high'],
          match: 'exact',
        },
        { name: 'topic', values: ['documents', 'charts'], multiple: true, setBy: 'host' },
        { name: 'budget', values: { min: 0, max: 100 }, match: 'at-most', multiple: false },
        { name: 'tier', values: ['free', 'pro'], match: 'at-most', default: 'free', setBy: 'operator' },
      ],
      presets: { safe: { security: 'high', budget: 20 } },
      filtering: { tools: ['namePatterns'], resources: ['namePatterns', 'uriPatterns'] },
    });
  });

  it('receives the full list and sends no preferences before any are set', async () => {
    const { concerns, sent } = await connect();
    expect(names(await concerns.listTools())).toEqual(TOOLS);
    expect(sent.some((message) => preferencesIn(message) !== undefined)).toBe(false);
  });

  it(`sends preferences with ${via}, and receives filtered lists`, async () => {
    const { concerns, sent, methods } = await connect();
    sent.length = 0;
    const set = await concerns.set({ security: 'high' });
    expect(methods()).toEqual(via === 'update' ? ['updateConcerns'] : []);
    expect(set).toMatchObject(
      via === 'update'
        ? {
            via,
            concerns: { security: 'high' },
            visible: { tools: 4, prompts: 1, resources: 1 },
            warnings: [],
          }
        : { via },
    );

    const tools = await concerns.listTools();
    const prompts = await concerns.listPrompts();
    const resources = await concerns.listResources();
    const templates = await concerns.listResourceTemplates();
    expect(names(tools)).toEqual(SAFE);
    expect(prompts.prompts).toMatchObject([{ name: 'review' }]);
    expect(resources.resources).toMatchObject([{ uri: 'vault://keys' }]);
    expect(templates.resourceTemplates).toMatchObject([{ uriTemplate: 'vault://keys/{id}' }]);
    expect(summaryOf(tools)).toEqual({
      concerns: { security: 'high', tier: 'free' },
      shown: 4,
      total: 5,
      warnings: [],
    });
    const lists = sent.filter(({ method }) => method?.endsWith('/list'));
    expect(lists).toHaveLength(4);
    for (const list of lists) {
      expect(preferencesIn(list)).toEqual(via === 'update' ? undefined : { security: 'high' });
    }
  });

  it('reads the warnings of the server', async () => {
    const { concerns } = await connect();
    await concerns.set({ security: 'medium' });
    const { shown, warnings } = summaryOf(await concerns.listPrompts());
    expect([shown, warnings]).toMatchObject([0, [{ code: 'empty-list' }]]);
  });

  it('replaces all preferences', async () => {
    const { concerns } = await connect();
    await concerns.set({ security: 'high', topic: ['documents'] });
    expect(names(await concerns.listTools())).toEqual(['encrypt', 'audit', 'open']);
    await concerns.set({ topic: ['documents'] });
    expect(names(await concerns.listTools())).toEqual(['encrypt', 'audit', 'log', 'open']);
    await concerns.set({});
    expect(names(await concerns.listTools())).toEqual(TOOLS);
    expect(concerns.preferences).toEqual({});
  });

  it('accepts presets, concerns that override them, and null', async () => {
    const { concerns } = await connect();
    await concerns.set({ preset: 'safe' });
    expect(names(await concerns.listTools())).toEqual(['encrypt', 'draw', 'open']);
    await concerns.set({ preset: 'safe', budget: null });
    const tools = await concerns.listTools();
    expect(names(tools)).toEqual(SAFE);
    expect(summaryOf(tools).concerns).toEqual({ security: 'high', tier: 'free' });
  });

  it.each([
    [{ securty: 'high' }, 'undeclared-concern', 'Did you mean "security"?'],
    [{ security: 'hihg' }, 'unknown-value', 'Did you mean "high"?'],
    [{ budget: 101 }, 'unknown-value', 'from 0 to 100'],
    [{ tier: 'pro' }, 'operator-concern', 'operator'],
    [{ preset: 'save' }, 'unknown-preset', 'Did you mean "safe"?'],
  ])('rejects %j without sending anything', async (wrong, code, hint) => {
    const { concerns, sent } = await connect();
    await concerns.set({ security: 'high' });
    sent.length = 0;
    const error = await concerns.set({ topic: 'charts', ...wrong }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(PreferencesError);
    expect(error).toMatchObject({ code: 'CONCERNS_REFUSED', data: [{ code }] });
    expect((error as PreferencesError).message).toContain(hint);
    expect(sent).toEqual([]);
    expect(concerns.preferences).toEqual({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });

  it('can use only visible primitives with enforcement: enforce', async () => {
    const { concerns, sent } = await connect({ policy: enforced });
    await concerns.set({ security: 'high' });
    sent.length = 0;
    expect(await concerns.callTool({ name: 'encrypt' })).toMatchObject({
      content: [{ text: 'encrypt did it' }],
    });
    expect(await concerns.getPrompt({ name: 'review' })).toMatchObject({ messages: [{ role: 'user' }] });
    expect(await concerns.readResource({ uri: 'vault://keys' })).toMatchObject({
      contents: [{ text: 'keys' }],
    });
    const ref = { type: 'ref/resource', uri: 'vault://keys/{id}' } as const;
    await concerns.complete({ ref, argument: { name: 'id', value: 'a' } }).catch(() => undefined);
    // These servers do not support subscriptions, and the modern era does not have this request.
    await concerns.subscribeResource({ uri: 'vault://keys' }).catch(() => undefined);
    for (const message of sent) {
      expect(preferencesIn(message)).toEqual(via === 'update' ? undefined : { security: 'high' });
    }
    expect(sent).toHaveLength(era === 'modern' ? 4 : 5);

    const hidden = await concerns.callTool({ name: 'log' }).catch((error: Error) => error);
    expect(JSON.stringify(hidden) + String(hidden)).not.toContain('log did it');
    await expect(concerns.getPrompt({ name: 'note' })).rejects.toThrow();
    await expect(concerns.readResource({ uri: 'vault://notes' })).rejects.toThrow();
  });

  it('sends the parameters, the filter and the options of a list request', async () => {
    const { concerns, sent } = await connect();
    await concerns.set({ security: 'high' });
    const listed = await concerns.listTools({
      filter: { namePatterns: ['*t'] },
      _meta: { 'host/trace': 'a' },
    });
    expect(names(listed)).toEqual(['encrypt', 'audit']);
    expect(read(sent.at(-1)?.params, '_meta', 'host/trace')).toBe('a');
    const signal = AbortSignal.abort(new Error('no more'));
    await expect(concerns.listTools({}, { signal })).rejects.toThrow();
  });

  it('adds preferences to the parameters of other requests', async () => {
    const { concerns } = await connect();
    await concerns.set({ security: 'high' });
    const params = concerns.withConcerns({ name: 'encrypt' });
    const meta = via === 'update' ? {} : { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };
    expect(params).toEqual({ name: 'encrypt', ...meta });
    expect(concerns.withConcerns({ _meta: { [EXTENSION_ID]: { concerns: {} } } })).toEqual({
      _meta: { [EXTENSION_ID]: { concerns: {} } },
    });
  });

  it('keeps preferences after a reconnect, with and without resend', async () => {
    const { concerns, reconnect, sent } = await connect();
    await concerns.set({ security: 'high' });
    await reconnect();
    expect(concerns.preferences).toEqual({ security: 'high' });
    // The new session has no preferences yet, so the request contains them.
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(preferencesIn(sent.at(-1))).toEqual({ security: 'high' });

    expect(await concerns.resend()).toMatchObject({ via });
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(preferencesIn(sent.at(-1))).toEqual(via === 'update' ? undefined : { security: 'high' });
  });

  it('sends preferences from a wrapped transport when the client is called directly', async () => {
    const { client, concerns, reconnect } = await connect({ over: true, preferences: { security: 'high' } });
    expect(names(await client.listTools())).toEqual(SAFE);
    await concerns.set({ security: 'low' });
    expect(names(await client.listTools())).toEqual(['log', 'draw', 'open']);
    await reconnect();
    expect(names(await client.listTools())).toEqual(['log', 'draw', 'open']);
  });
});
