import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { withLists } from '../../../src/core/gate/edge/server-lists.js';
import { redactServerMessage } from '../../../src/core/gate/enforce/redaction.js';
import type { View } from '../../../src/core/gate/request/facts.js';
import type { Notification, Request } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { ListServer } from './list-server.js';

const policy = policyOf(`
concerns: { security: { values: [low, high] } }
primitives: { tools: { secret: { security: low }, strong: { security: high } } }
settings: { enforcement: enforce }
`);
const under = (security?: string, rest: Partial<View> = {}): View => ({
  configuration: resolveConfiguration(
    policy,
    security === undefined ? [] : [{ from: 'request', concerns: { security } }],
  ),
  request: undefined,
  substitute: undefined,
  ...rest,
});

/** The gate of a server whose list of tools is held. */
function holding(): ListServer['gate']['state'] {
  const tools = [{ name: 'listed', _meta: { concerns: { security: 'low' } } }, { name: 'open' }];
  const server = new ListServer(policy).listing({ 'tools/list': tools });
  withLists(server.exchange('tools/call'), { kinds: ['tools'] }, () => undefined);
  return server.gate.state;
}
const notification = (method: string, params?: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});
const log = (data: unknown, logger = 'secret') =>
  notification('notifications/message', { level: 'info', logger, data });

describe('the texts of a notification', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'notifications/message',
      { level: 'secret', logger: 'secret', data: { secret: ['listed', 'open', 1] } },
      { level: 'secret', logger: '[hidden]', data: { '[hidden]': ['[hidden]', 'open', 1] } },
    ],
    [
      'notifications/progress',
      { progressToken: 'secret', progress: 1, message: 'runs listed' },
      { progressToken: 'secret', progress: 1, message: 'runs [hidden]' },
    ],
    [
      'notifications/tasks/status',
      { taskId: 'secret', statusMessage: 'secret' },
      { taskId: 'secret', statusMessage: '[hidden]' },
    ],
    [
      'notifications/cancelled',
      { requestId: 'secret', reason: 'secret' },
      { requestId: 'secret', reason: '[hidden]' },
    ],
  ])('name nothing hidden: %s', (method, params, redacted) => {
    const message = notification(method, params);
    expect(redactServerMessage(holding(), [under('high')], message)).toEqual(notification(method, redacted));
    expect(message).toEqual(notification(method, params));
  });

  it('name nothing that is hidden in any of the views', () => {
    expect(
      redactServerMessage(holding(), [under('high'), under(), under('low')], log('secret strong open')),
    ).toEqual(log('[hidden] [hidden] open', '[hidden]'));
  });

  it.each<[string, readonly View[], Notification]>([
    ['name nothing hidden', [under('high')], log('open', 'a')],
    ['are seen without preferences', [under()], log('secret')],
    ['are seen by nobody', [], log('secret')],
    [
      'are about something only',
      [under('high')],
      notification('notifications/other', { requestId: 'secret' }),
    ],
    ['are missing', [under('high')], notification('notifications/message')],
    ['are empty', [under('high')], notification('notifications/message', {})],
  ])('stay the same object if they %s', (_what, views, message) => {
    expect(redactServerMessage(holding(), views, message)).toBe(message);
  });

  it('repeat what the client wrote into the request, and the name that it requested', () => {
    const request: Request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hidden', arguments: { a: 'listed' } },
    };
    const substitute = { name: 'unknown-1', sent: 'unknown-1', original: 'secret' };
    const view = under('high', { request, substitute });
    expect(redactServerMessage(holding(), [view], log('unknown-1 listed secret', 'a'))).toEqual(
      log('secret listed [hidden]', 'a'),
    );
  });
});

describe('a request of the server for sampling', () => {
  const sampling = (...names: unknown[]): Request => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'sampling/createMessage',
    params: { maxTokens: 1, tools: names.map((name) => ({ name })) },
  });

  it('offers no tool that is hidden in any of the views', () => {
    const offered = sampling('secret', 'listed', 'open', 'strong', 'own', 7);
    expect(redactServerMessage(holding(), [under('high')], offered)).toEqual(
      sampling('open', 'strong', 'own', 7),
    );
    expect(redactServerMessage(holding(), [under('low'), under('high')], offered)).toEqual(
      sampling('open', 'own', 7),
    );
  });

  it('stays the same object if it offers none', () => {
    for (const offered of [sampling(), sampling('open'), { jsonrpc: '2.0', id: 1, method: 'a' } as const]) {
      expect(redactServerMessage(holding(), [under('high')], offered)).toBe(offered);
    }
    const offered = sampling('secret');
    expect(redactServerMessage(holding(), [under()], offered)).toBe(offered);
    expect(redactServerMessage(holding(), [], offered)).toBe(offered);
  });
});
