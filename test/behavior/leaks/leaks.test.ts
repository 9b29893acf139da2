import { describe, expect, it } from 'vitest';
import { NOTIFICATIONS, ROUTES, SERVER_REQUESTS } from '../../../src/core/gate/table/routes.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { policyFile } from '../../gate/gate-harness.js';
import type { SuitePolicy } from '../mounts.js';
import { type HttpPreferences, LEAKY_MOUNTS, type LeakyMount, type RawClient } from './leaky-mounts.js';
import { VARIANT } from './leaky-server.js';
import {
  HIDDEN,
  HIDDEN_NAMES,
  INVENTED,
  MARK,
  NOTIFICATION_ROWS,
  ROWS,
  SERVER_REQUEST_ROWS,
} from './rows.js';

describe('the fixtures', () => {
  it('cover every row of the table of methods', () => {
    expect(Object.keys(ROWS).sort()).toEqual([...ROUTES.keys()].sort());
    expect(Object.keys(NOTIFICATION_ROWS).sort()).toEqual([...NOTIFICATIONS.server].sort());
    expect(Object.keys(SERVER_REQUEST_ROWS).sort()).toEqual([...SERVER_REQUESTS].sort());
    expect(INVENTED).toHaveLength(10);
  });
});

/** Where the preference comes from that hides everything with the mark. */
interface Source {
  readonly concern: string;
  readonly settings?: string;
  readonly rules?: string;
  readonly http?: HttpPreferences;
  readonly meta?: object;
  readonly initialize?: object;
  /** Sent after `initialize`. */
  readonly update?: boolean;
}

const HIGH = { security: 'high' };
const HOST = '{ values: [low, high] }';
const SOURCES: Readonly<Record<string, Source>> = {
  default: { concern: '{ values: [low, high], default: high }', settings: ', defaults: always' },
  claim: { concern: '{ values: [low, high], default: high, set-by: operator, claim: tier }' },
  rule: {
    concern: HOST,
    rules: `rules: [{ id: never, hide: [tools, prompts, resources, resourceTemplates], when: { or: [
      { in: [{ var: primitive.name }, ${JSON.stringify(HIDDEN_NAMES)}] },
      { in: [{ var: primitive.uri }, ${JSON.stringify(HIDDEN_NAMES)}] } ] } }]`,
  },
  initialize: { concern: HOST, initialize: { concerns: HIGH } },
  capabilities: {
    concern: HOST,
    initialize: { capabilities: { extensions: { [EXTENSION_ID]: { concerns: HIGH } } } },
  },
  session: { concern: HOST, update: true },
  request: { concern: HOST, meta: { [EXTENSION_ID]: { concerns: HIGH } } },
  header: { concern: HOST, http: { headers: { 'mcp-concerns': 'security=high' } } },
  url: { concern: HOST, http: { query: '?concerns=security:high' } },
};

function policyFor({ concern, settings = '', rules = '' }: Source): SuitePolicy {
  const file = policyFile(
    `concerns: { security: ${concern} }\n${HIDDEN}${rules}\nsettings: { enforcement: enforce${settings} }\n`,
  );
  return { file, policy: loadPolicy(file) };
}

/** Plays every row with every answer, and returns the texts that reached the client. */
async function play(mount: LeakyMount, source: Source): Promise<readonly string[]> {
  const { meta = {}, http = {}, initialize = {}, update = false } = source;
  // A preference that comes later than the instructions cannot hide anything in them.
  const isLater = update || source.meta !== undefined;
  const client = await mount.connect(policyFor(source), !isLater, http);
  let id = 0;
  const ask = (method: string, params: object, variant: number): Promise<void> => {
    const _meta = { ...meta, [VARIANT]: variant, progressToken: 1 };
    return client.send({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } });
  };
  await ask('initialize', { ...ROWS.initialize?.params, ...initialize }, 0);
  await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  if (update) {
    await client.send({ jsonrpc: '2.0', id: ++id, method: 'updateConcerns', params: { concerns: HIGH } });
  }
  // Twice: the second time the server's lists are held.
  for (let round = 0; round < 2; round++) {
    for (const [method, { params, results }] of Object.entries(ROWS)) {
      // The preferences of a request count only where it names or lists something. A second initialize ends a session.
      if (method === 'initialize' || (source.meta !== undefined && ROUTES.get(method)?.to === 'pass'))
        continue;
      for (let variant = 0; variant <= results.length; variant++) await ask(method, params, variant);
    }
    for (const method of INVENTED) await ask(method, {}, 0);
    if (source.meta === undefined) await malformed(client);
  }
  await client.close();
  return client.seen;
}

/** Messages that are no valid requests, some of which a server without an SDK might answer. */
async function malformed(client: RawClient): Promise<void> {
  const call = { jsonrpc: '2.0', id: 'm1', method: 'tools/call', params: { name: ['open_tool'] } };
  await client.send(call);
  await client.send({ ...call, id: 'm2', params: { name: 'open_tool' }, result: {} }, false);
  await client.send({
    jsonrpc: '2.0',
    id: 'm3',
    method: 'completion/complete',
    params: { ref: { type: 'ref/x' } },
  });
}

/** Preferences of a URL or a header need HTTP; the stateless protocol has neither `initialize` nor sessions. */
const canCarry = ({ http, era }: LeakyMount, source: Source): boolean =>
  (http || source.http === undefined) &&
  (era === 'legacy' || (source.initialize === undefined && source.update === undefined));

const cases = LEAKY_MOUNTS.flatMap((mount) =>
  Object.entries(SOURCES).flatMap(([name, source]) =>
    !canCarry(mount, source) ? [] : [{ mount: mount.name, name, source, using: mount }],
  ),
);

describe('everything that a client receives', () => {
  it.each(cases)('names nothing that is hidden by $name: $mount', async ({ source, using }) => {
    const seen = await play(using, source);
    const text = seen.join('\n');
    // The suite would pass if nothing was answered at all.
    expect(text).toContain('open_tool');
    expect(text).toContain('[hidden]');
    expect(text).toContain('"code":-32601');
    expect(seen.filter((each) => each.includes(MARK)).map((each) => around(each))).toEqual([]);
  });
});

const around = (text: string): string => text.slice(Math.max(0, text.indexOf(MARK) - 200)).slice(0, 400);
