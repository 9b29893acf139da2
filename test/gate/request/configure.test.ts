import { describe, expect, it } from 'vitest';
import { describeConfiguration, describeOrigins } from '../../../src/core/engine/configuration.js';
import { callerOf, configure, type Sender } from '../../../src/core/gate/request/configure.js';
import type { StoredPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import type { SessionRecord } from '../../../src/core/session/store.js';
import { EXTENSION_ID, eraOf, type Request } from '../../../src/core/wire/messages.js';
import { modern } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, medium, high], model: free }
  cost: { values: [small, large] }
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
`;
const RULE = 'rules:\n  - { id: r, hide: [tools], when: { "!!": { var: client.capabilities.roots } } }\n';
const plain = policyOf(POLICY);
const panel = policyOf(`${POLICY}settings: { panel: on }\n`);
const readOnly = policyOf(`${POLICY}settings: { panel: read-only }\n`);
const enforce = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);
const ruled = policyOf(POLICY + RULE);

const UNKNOWN = { state: 'unknown' } as const;
const live = (record: SessionRecord) => ({ state: 'live', record }) as const;
const session = (record: SessionRecord, principal?: SessionRecord): StoredPreferences => ({
  session: live(record),
  principal: principal && live(principal),
});
const nothing: StoredPreferences = { session: UNKNOWN, principal: undefined };

const request = (_meta?: object): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  ...(_meta && { params: { _meta } }),
});
const sent = (_meta?: object) => ({ request: request(_meta), era: eraOf(request(_meta)) });
const asked = (concerns: object) => ({ [EXTENSION_ID]: { concerns } });
const ofClient = (concerns: object) => ({ extensions: { [EXTENSION_ID]: { concerns } } });
const withHeader = (header: string): Partial<Sender> => ({ http: { headers: { 'mcp-concerns': header } } });

interface Given {
  readonly policy?: typeof plain;
  readonly meta?: object;
  readonly sender?: Partial<Sender>;
  readonly counts?: boolean;
}

const configured = (
  kept: StoredPreferences,
  { policy = plain, meta, sender = {}, counts = true }: Given = {},
) =>
  configure({ policy, ...sent(meta), sender: { extra: undefined, ...sender } }, kept, {
    meta: counts,
  });

/** The values in effect of the concerns that hosts set, each with its source. */
function effective(kept: StoredPreferences, given?: Given) {
  const configuration = configured(kept, given);
  const { tier: _tier, ...values } = describeConfiguration(configuration);
  const origins = describeOrigins(configuration);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, `${value} ${origins[name]}`]),
  );
}

describe('the values of a legacy request', () => {
  it('are those of the session', () => {
    expect(effective(session({ concerns: { security: 'high' } }))).toEqual({ security: 'high session' });
    expect(effective(nothing)).toEqual({});
  });

  it('are those of the request first, if its _meta counts', () => {
    const kept = session({ concerns: { security: 'high', cost: 'small' } });
    const meta = asked({ security: 'low' });
    expect(effective(kept, { meta })).toEqual({ security: 'low request', cost: 'small session' });
    expect(effective(kept, { meta, counts: false })).toEqual({
      security: 'high session',
      cost: 'small session',
    });
  });

  it('are those of the caller before those of the session, until a person chose in the session', () => {
    const concerns = { security: 'high' };
    const principal = { concerns: { security: 'low' } };
    expect(effective(session({ concerns }, principal))).toEqual({ security: 'low principal' });
    expect(effective(session({ concerns, acted: false }, principal))).toEqual({ security: 'low principal' });
    expect(effective(session({ concerns, acted: true }, principal))).toEqual({ security: 'high session' });
  });

  it('are those of the header after all others', () => {
    const sender = withHeader('security=low, cost=large');
    expect(effective(session({ concerns: { security: 'high' } }), { sender })).toEqual({
      security: 'high session',
      cost: 'large header',
    });
  });

  it('do not come from capabilities', () => {
    expect(effective(session({ clientCapabilities: ofClient({ security: 'high' }) }))).toEqual({});
  });
});

describe('the values of a modern request', () => {
  const meta = modern(ofClient({ security: 'high', cost: 'small' }));

  it('are those of its capabilities, and no session counts', () => {
    const kept = session({ concerns: { security: 'low' }, acted: true });
    expect(effective(kept, { meta })).toEqual({
      security: 'high capabilities',
      cost: 'small capabilities',
    });
    expect(effective(kept, { meta: modern() })).toEqual({});
  });

  it('are those of the caller before them', () => {
    const kept = session({ acted: true }, { concerns: { security: 'low' } });
    expect(effective(kept, { meta })).toEqual({ security: 'low principal', cost: 'small capabilities' });
  });
});

describe('the values of a model', () => {
  const model = { security: 'medium' };

  it('are stronger than everything but the request itself', () => {
    const kept = session({ model, concerns: { security: 'high' } });
    expect(effective(kept, { policy: panel })).toEqual({ security: 'medium model' });
    expect(effective(kept, { policy: panel, meta: asked({ security: 'low' }) })).toEqual({
      security: 'low request',
    });
    expect(effective(kept, { policy: panel, sender: withHeader('cost=large') })).toEqual({
      security: 'medium model',
      cost: 'large header',
    });
  });

  it('apply only where the tool is with which they can be undone', () => {
    const kept = session({ model, concerns: { security: 'high' } });
    expect(effective(kept)).toEqual({ security: 'high session' });
    expect(effective(kept, { policy: readOnly })).toEqual({ security: 'high session' });
  });
});

describe('the warnings of a configuration', () => {
  const kept = session({ warnings: [{ code: 'kept', message: 'Of the session.' }] });

  it('are those of the session, of sources that cannot be read, and of values', () => {
    const sender: Partial<Sender> = {
      http: { headers: { 'mcp-concerns': '=', 'x-mcp-readonly': 'true' } },
    };
    const { warnings } = configured(kept, { meta: asked({ unknown: 1 }), sender });
    expect(warnings.map(({ code }) => code)).toEqual([
      'kept',
      'malformed-header',
      'unsupported-header',
      'undeclared-concern',
    ]);
  });

  it('are about the headers of other servers where the list of tools is asked for', () => {
    const sender = { extra: undefined, http: { headers: { 'x-mcp-readonly': 'true' } } };
    const codesOf = (method: string): readonly string[] =>
      configure({ policy: plain, request: { ...request(), method }, era: 'legacy', sender }, session({}), {
        meta: true,
      }).warnings.map(({ code }) => code);
    expect(codesOf('tools/list')).toEqual(['unsupported-header']);
    expect(codesOf('tools/call')).toEqual([]);
    expect(codesOf('prompts/list')).toEqual([]);
  });

  it('tell what is wrong with a header', () => {
    const { warnings } = configured(session({}), { sender: withHeader('=') });
    const message =
      'The Mcp-Concerns header is ignored: it is not a structured-field dictionary (RFC 9651). Send it like "security=high, cost=minimal".';
    expect(warnings).toEqual([{ code: 'malformed-header', message }]);
  });

  it('are not repeated if a model set a value too', () => {
    const given = { policy: panel, meta: asked({ unknown: 1 }) };
    const { warnings } = configured(session({ model: { security: 'low' } }), given);
    expect(warnings.map(({ code }) => code)).toEqual(['undeclared-concern']);
  });

  it('are not those of a session in the modern era', () => {
    expect(configured(kept, { meta: modern() }).warnings).toEqual([]);
    expect(configured(kept).warnings).toEqual([{ code: 'kept', message: 'Of the session.' }]);
    expect(configured(session({})).warnings).toEqual([]);
  });
});

describe('the caller of a request', () => {
  const claims = new Map([['tier', 'pro']]);
  const callerAt = (kept: StoredPreferences, { policy = plain, meta }: Given = {}) =>
    callerOf({ policy, ...sent(meta), sender: { extra: undefined, claims } }, kept);

  it('has its claims, the capabilities of its client, and its era', () => {
    expect(callerAt(session({ clientCapabilities: { roots: {} } }))).toStrictEqual({
      claims,
      scopes: undefined,
      capabilities: { roots: {} },
      client: undefined,
      era: 'legacy',
      forgotten: false,
    });
    expect(callerAt(nothing, { meta: modern({ sampling: {} }) })).toStrictEqual({
      claims,
      scopes: undefined,
      capabilities: { sampling: {} },
      client: undefined,
      era: 'modern',
      forgotten: false,
    });
    const less = session({ clientCapabilities: { roots: {} }, clientPaths: [] });
    expect(callerAt(less, { policy: ruled }).capabilities).toBeUndefined();
  });

  it.each<[string, StoredPreferences, object | undefined, boolean]>([
    ['a session that is known', session({}), undefined, false],
    ['a session that is not known', nothing, undefined, true],
    ['a session that ended', { session: { state: 'ended' }, principal: undefined }, undefined, true],
    ['a modern request', nothing, modern(), false],
    ['a caller that is known', session({}, {}), undefined, false],
    ['a caller that was not read', { session: live({}), principal: UNKNOWN }, undefined, true],
    ['a modern caller that was not read', { session: UNKNOWN, principal: UNKNOWN }, modern(), true],
  ])('is forgotten under enforce, with %s: %j', (_what, kept, meta, forgotten) => {
    expect(callerAt(kept, { policy: enforce, ...(meta && { meta }) }).forgotten).toBe(forgotten);
    expect(callerAt(kept, meta && { meta }).forgotten).toBe(false);
  });
});
