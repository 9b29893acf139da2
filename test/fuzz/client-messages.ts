import { EXTENSION_ID } from '../../src/index.js';
import type { Area } from './areas.js';
import { inexact } from './numbers.js';
import { panelMessage } from './panel-messages.js';
import type { Random } from './random.js';
import type { Switch } from './switches.js';
import { type Level, PAGES, THINGS, type Thing, type View } from './world.js';

/** A message of the client, and what the oracle has to know about it. */
export interface Sent {
  readonly message: unknown;
  /** Set if the message is a request that must be answered exactly once. */
  readonly id?: string | number;
  /** The preference that the request states itself: `[undefined]` for none at all. Otherwise that of the session applies. */
  readonly states?: readonly [View] | undefined;
  readonly isModern?: boolean;
  /** Whether it names a primitive of the gate, which may tell of everything that a preference can show. */
  readonly isPanel?: boolean;
  readonly change?: Switch;
  readonly area?: Area;
  /** The kind of the list that it asks for. */
  readonly lists?: string;
  /** The thing that it names, in the spelling of the list. */
  readonly names?: Thing;
  readonly cancels?: string | number;
}

const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;
const LIST_METHODS = Object.keys(LISTS) as [keyof typeof LISTS, ...(keyof typeof LISTS)[]];

const OTHER_METHODS = [
  'ping',
  'logging/setLevel',
  'skills/list',
  'groups/get',
  'tools/resolve',
  'tools/List',
  'tools/call/',
  'tasks/list',
  '__proto__',
  'nothing/at-all',
] as const;
const URI_METHODS = [
  'resources/read',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'resources/directory/read',
  'skills/get',
] as const;

const NAMED: readonly [Thing, ...Thing[]] = [THINGS[0], ...THINGS.slice(1)] as [Thing, ...Thing[]];

/** Makes the next message. `recent` are ids that were used before, to cancel them and to use them again. */
export function nextMessage(random: Random, id: number, recent: readonly (string | number)[]): Sent {
  if (recent.length > 0 && random.chance(0.08))
    return cancellation(recent[random.below(recent.length)] ?? id);
  const requestId =
    recent.length > 0 && random.chance(0.05) ? (recent[random.below(recent.length)] ?? id) : id;
  const { meta, ...stated } = metaOf(random, random.pick<Level | undefined>([undefined, 'low', 'high']));
  const request = (method: string, params: object, known: Omit<Sent, 'message'> = {}): Sent => {
    const message = { jsonrpc: '2.0', id: requestId, method, params: { ...params, ...meta } };
    return { ...stated, ...known, message, id: requestId };
  };
  if (random.chance(0.1)) return panelMessage(random, request);
  const roll = random.next();
  if (roll < 0.3) {
    const method = random.pick(LIST_METHODS);
    return request(method, {}, { lists: LISTS[method] });
  }
  if (roll < 0.4)
    return request(random.pick(OTHER_METHODS), { name: 'tool-a', uri: 'r://d/one', level: 'info' });
  const thing = random.pick(NAMED);
  if (roll < 0.75) return named(thing, random, request);
  if (roll < 0.85) {
    const uri = respelled(random, thing.identity);
    return request(random.pick(URI_METHODS), { uri });
  }
  return { ...stated, message: malformed(random, id, thing, meta) };
}

function named(
  thing: Thing,
  random: Random,
  request: (method: string, params: object, known?: Omit<Sent, 'message'>) => Sent,
): Sent {
  const { identity } = thing;
  const argument = { name: 'id', value: '' };
  switch (thing.kind) {
    case 'tools':
      return request(
        'tools/call',
        { name: identity, arguments: { text: 'x', ...inexact() } },
        { names: thing, ...(identity in PAGES ? { area: 'MCP Apps' } : {}) },
      );
    case 'prompts':
      return random.chance(0.6)
        ? request('prompts/get', { name: identity }, { names: thing })
        : request(
            'completion/complete',
            { ref: { type: 'ref/prompt', name: identity }, argument },
            { names: thing },
          );
    case 'resources': {
      const method = random.pick(URI_METHODS);
      // What a directory shows depends on what is in it, and a client of the modern era cannot subscribe.
      const isPlain = method === 'resources/read';
      return request(method, { uri: identity }, isPlain ? { names: thing } : {});
    }
    case 'resourceTemplates':
      return random.chance(0.5)
        ? request(
            'completion/complete',
            { ref: { type: 'ref/resource', uri: identity }, argument },
            { names: thing },
          )
        : request('resources/read', {
            uri: identity.replace('{id}', random.pick(['7', 'x%2Fy', '..', 'listed'])),
          });
  }
}

function metaOf(random: Random, level: Level | undefined) {
  const concerns = level === undefined ? random.pick<unknown>([undefined, { level: null }, 7]) : { level };
  const isModern = random.chance(0.1);
  const marker = isModern ? { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } : {};
  const extension = concerns === undefined ? {} : { [EXTENSION_ID]: { concerns } };
  const isStated = typeof concerns === 'object';
  const states: { states?: readonly [View] } = isStated ? { states: [level] } : {};
  return { meta: { _meta: { ...extension, ...marker } }, isModern, ...states };
}

function cancellation(requestId: string | number): Sent {
  const message = {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'fuzz' },
  };
  return { message, cancels: requestId };
}

/** Requests that are not well-formed, in which a trusting server still finds a name. */
function malformed(random: Random, id: unknown, { kind, identity }: Thing, meta: object): unknown {
  const [method, member] =
    kind === 'tools'
      ? ['tools/call', 'name']
      : kind === 'prompts'
        ? ['prompts/get', 'name']
        : ['resources/read', 'uri'];
  const base = { jsonrpc: '2.0', id, method, params: { [member]: identity, ...meta } };
  const { id: _, ...withoutId } = base;
  return random.pick<() => unknown>([
    () => ({ ...base, params: { ...base.params, [member]: [identity] } }),
    () => ({ ...base, params: { ...base.params, [member]: [[identity]] } }),
    () => ({ ...base, params: { ...base.params, [member]: { name: identity } } }),
    () => withoutId,
    () => ({ ...base, result: {} }),
    () => ({ ...base, error: { code: 1, message: 'x' } }),
    () => [base],
    () => [base, { ...base, id: `${id}b` }],
    () => ({ ...base, id: null }),
    () => ({ ...base, id: [id] }),
    () => ({ ...base, id: { id } }),
    () => ({ ...base, id: 1.5 }),
    () => ({ ...base, method: [method] }),
    () => ({ ...base, params: [identity] }),
    () => ({ ...base, jsonrpc: '1.0' }),
    () => ({ ...base, params: undefined }),
    () => identity,
    () => null,
  ])();
}

/** Other forms of a URI that some server reads as the same URI. */
function respelled(random: Random, uri: string): string {
  return random.pick<(text: string) => string>([
    (text) => text.toUpperCase().slice(0, 4) + text.slice(4),
    (text) => ` ${text}`,
    (text) => text.replace('//', '//./'),
    (text) => `${text}/../${text.split('/').at(-1)}`,
    (text) => text.replace(/[a-z](?=[^a-z]*$)/, (each) => `%${each.charCodeAt(0).toString(16)}`),
    (text) => text.replace('///', ':%5C%5C/').replace('::', ':'),
    (text) => text.replace('///', ':/%09//').replace('::', ':'),
    (text) => text.replaceAll('/', '%2F'),
    (text) => encodeURIComponent(text),
    (text) => text.replace('{id}', '7%2e'),
    (text) => text.replace('{id}', '%252e'),
    (text) => `${text}#x`,
    (text) => `${text}?x`,
  ])(uri);
}
