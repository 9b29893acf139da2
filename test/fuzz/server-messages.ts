import type { Area } from './areas.js';
import type { Random } from './random.js';
import { THINGS, type Thing } from './world.js';

/** A message that the server sends by itself. */
export interface Unasked {
  readonly message: object;
  /** What its texts name. */
  readonly names?: Thing;
  readonly area?: Area;
  /** Whether it is a request that the gate lets pass. */
  readonly passes?: boolean;
}

/** The number of a message of the server, which stands in its texts. */
export const numberIn = (text: string): number => Number(/ now \((\d+)\)\./.exec(text)?.[1]);

/** Makes a message of the server with a name in each text that the gate redacts, and its number. */
export function unasked(random: Random, count: number): Unasked {
  const thing = THINGS[random.below(THINGS.length)] ?? THINGS[0];
  if (thing === undefined || random.chance(0.4)) return { message: plain(random) };
  const note = `Use ${thing.identity} now (${count}).`;
  const _meta = { note, [thing.identity]: note };
  const notify = (method: string, params: object, area?: Area): Unasked => ({
    message: { jsonrpc: '2.0', method: `notifications/${method}`, params },
    names: thing,
    area: area ?? 'other messages of the server with names',
  });
  const ask = (method: string, params: object, area: Area, passes = true): Unasked => ({
    message: { jsonrpc: '2.0', id: `server-${count}`, method, params: { ...params, _meta } },
    names: thing,
    area,
    passes,
  });
  const sure = { type: 'string', title: note, description: note, enum: ['yes', note] };
  const requestedSchema = { type: 'object', properties: { sure }, required: ['sure'] };
  const content = { type: 'text', text: note };
  return random.pick<() => Unasked>([
    () => ask('elicitation/create', { message: note, requestedSchema }, 'elicitation of the server'),
    () =>
      ask(
        'elicitation/create',
        { mode: 'url', elicitationId: 'e', url: 'https://example.com/', message: note },
        'elicitation of the server',
      ),
    () => notify('elicitation/complete', { elicitationId: 'e', note }, 'elicitation/complete'),
    () =>
      ask(
        'sampling/createMessage',
        {
          messages: [{ role: 'user', content }],
          systemPrompt: note,
          maxTokens: 9,
          stopSequences: [note],
          metadata: { note },
          ...(thing.kind === 'tools' ? { tools: [{ name: thing.identity, inputSchema: {} }] } : {}),
        },
        'sampling of the server',
      ),
    () => ask('roots/list', {}, 'roots of the client'),
    () => ask('ping', {}, 'other messages of the server with names'),
    () => ask('vendor/ask', { note }, 'requests of the server that were refused', false),
    () => notify('message', { level: 'info', logger: note, data: { note, [thing.identity]: [note] } }),
    () => notify('progress', { progressToken: 1, progress: 1, message: note }),
    () => notify('cancelled', { requestId: 'none', reason: note }),
  ])();
}

function plain(random: Random): object {
  const resources = THINGS.filter(({ kind }) => kind === 'resources');
  const uri = resources[random.below(resources.length)]?.identity;
  return random.pick<object>([
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    { jsonrpc: '2.0', id: 'nobody', result: { everything: THINGS } },
    { jsonrpc: '2.0', method: 'notifications/unheard', params: { everything: THINGS } },
  ]);
}

/** What a client answers to a request: what a person did, an error, nonsense, nothing, or the same twice. */
export function clientAnswers(random: Random, id: unknown, content: object): readonly object[] {
  const answer = (body: object): object => ({ jsonrpc: '2.0', id, ...body });
  const accepted = answer({ result: { action: 'accept', content } });
  return random.pick<readonly object[]>([
    [accepted],
    [accepted],
    [accepted],
    [answer({ result: { action: 'decline' } })],
    [answer({ result: { action: 'cancel' } })],
    [answer({ result: { roots: [], role: 'assistant', content: { type: 'text', text: 'x' } } })],
    [answer({ error: { code: -1, message: 'no' } })],
    [answer({ result: 7 })],
    [],
    [accepted, accepted],
  ]);
}
