import { describe, expect, it } from 'vitest';
import type {
  PrincipalPreferences,
  SessionPreferences,
} from '../../../src/core/gate/request/kept-preferences.js';
import { canKeep, canSwitch, clientSurfaces, openToModel } from '../../../src/core/gate/request/switching.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { APPS, exchangeOf, modern } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, high], model: free }
  topic: { values: [maps, charts], model: narrow }
  cost: { values: [small, large], model: none }
  speed: { values: [slow, fast] }
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
`;
const policyWith = (settings: string) => policyOf(`${POLICY}settings: { ${settings} }\n`);
const on = policyWith('panel: on');
const readOnly = policyWith('panel: read-only');
const shadow = policyWith('panel: on, enforcement: shadow');
const off = policyWith('panel: off');

const store = createMemoryStore();
const CONNECTION: SessionPreferences = { place: 'connection', record: {} };
const NONE: SessionPreferences = { place: 'none' };
const CALLER: PrincipalPreferences = { place: 'store', store, id: 'caller' };
const NO_CALLER: PrincipalPreferences = { place: 'none' };

const requestOf = (
  policy = on,
  preferences: SessionPreferences = CONNECTION,
  principal?: PrincipalPreferences,
  _meta?: object,
) => exchangeOf(new Harness(policy, preferences, principal), 'tools/list', _meta && { _meta });

describe('a place to keep preferences', () => {
  it.each<[string, Parameters<typeof requestOf>, boolean]>([
    ['a connection', [on, CONNECTION], true],
    ['a session without one', [on, NONE], false],
    ['a modern request', [on, CONNECTION, undefined, modern()], false],
    ['a caller', [on, NONE, CALLER], true],
    ['a caller of a modern request', [on, NONE, CALLER, modern()], true],
    ['a caller that is not verified', [on, NONE, NO_CALLER], false],
    ['a caller that is not verified, in a connection', [on, CONNECTION, NO_CALLER], true],
  ])('has %s', (_what, given, has) => {
    expect(canKeep(requestOf(...given))).toBe(has);
    expect(canSwitch(requestOf(...given))).toBe(has);
  });

  it.each([
    ['panel: on', on, true],
    ['panel: read-only', readOnly, false],
    ['shadow', shadow, false],
    ['panel: off', off, false],
  ] as const)('is used for switching under %s', (_what, policy, can) => {
    expect(canSwitch(requestOf(policy))).toBe(can);
    expect(canKeep(requestOf(policy))).toBe(true);
  });
});

describe('the concerns that are open to a model', () => {
  it.each<[string, Parameters<typeof requestOf>, readonly string[]]>([
    ['in a connection', [on, CONNECTION], ['security', 'topic']],
    ['in a connection with a caller', [on, CONNECTION, CALLER], ['security', 'topic']],
    ['in a modern request', [on, CONNECTION, CALLER, modern()], []],
    ['where only the caller is kept', [on, NONE, CALLER], []],
    ['where nothing is kept', [on, NONE], []],
    ['where nobody can switch', [readOnly, CONNECTION], []],
  ])('are those of the policy %s', (_what, given, names) => {
    expect(openToModel(requestOf(...given)).map(({ name }) => name)).toEqual(names);
  });
});

describe('how a client can ask its person', () => {
  it('is what its session says', () => {
    const exchange = requestOf();
    expect(clientSurfaces(exchange)).toEqual({ app: false, form: false });
    const panel = { app: true, form: true, key: 'k' };
    exchange.kept = { session: { state: 'live', record: { panel } }, principal: undefined };
    expect(clientSurfaces(exchange)).toMatchObject({ app: true, form: true });
  });

  it('is what a modern request says', () => {
    const _meta = modern({ ...APPS, elicitation: {} });
    expect(clientSurfaces(requestOf(on, CONNECTION, undefined, _meta))).toEqual({ app: true, form: true });
    const without = requestOf(on, CONNECTION, undefined, modern());
    const panel = { app: true, form: true, key: 'k' };
    without.kept = { session: { state: 'live', record: { panel } }, principal: undefined };
    expect(clientSurfaces(without)).toEqual({ app: false, form: false });
  });
});
