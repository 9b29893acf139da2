import { describe, expect, it } from 'vitest';
import { observedStore } from '../../src/core/http/observer.js';
import { createLog } from '../../src/core/lambda/log.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { StoreCall } from '../../src/core/telemetry/request-log.js';

class ThrottlingException extends Error {
  override readonly name = 'ThrottlingException';
}
const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

describe('a call of the session store that fails', () => {
  it.each([
    ['the code of an error of Node.js', refused, 'ECONNREFUSED'],
    [
      'the code of a cause',
      new Error('down', { cause: new TypeError('x', { cause: refused }) }),
      'ECONNREFUSED',
    ],
    ['the name of an exception of AWS', new ThrottlingException('slow down'), 'ThrottlingException'],
    ['the name of another error', new TypeError('x'), 'TypeError'],
  ])('is reported with %s', async (_what, cause, failed) => {
    const calls: StoreCall[] = [];
    const broken = { ...createMemoryStore(), read: () => Promise.reject(cause) };
    await expect(observedStore(broken, (call) => calls.push(call)).read('s')).rejects.toBe(cause);
    expect(calls).toMatchObject([{ operation: 'read', failed }]);
  });

  it.each([
    ['with a report', [{ method: 'tools/list', era: 'legacy' as const }]],
    ['without one', []],
  ])('is logged at the level WARN, %s', async (_what, reports) => {
    const { Logger } = await import('@aws-lambda-powertools/logger');
    const lines: string[] = [];
    const logger = new Logger({ serviceName: 'x' });
    for (const level of ['info', 'warn'] as const) logger[level] = () => void lines.push(level);
    const storeCalls: StoreCall[] = [{ operation: 'read', ms: 1, failed: 'ECONNREFUSED' }];
    const entry = { requestId: '1', httpMethod: 'POST', status: 200, durationMs: 1, reports };
    createLog(logger)({ ...entry, storeCalls });
    createLog(logger)({ ...entry, storeCalls: [] });
    expect(lines).toEqual(['warn', 'info']);
  });
});
