import { readFileSync } from 'node:fs';
import {
  bindCatalog,
  type Caller,
  type Catalog,
  KINDS,
  type Kind,
  type Policy,
  type Primitive,
  resolveConfiguration,
  type ServerCatalog,
} from '../../../src/core/engine/index.js';
import { onlyNarrows } from '../../../src/core/engine/narrows.js';
import type { PanelPreferences, PanelState } from '../../../src/core/gate/panel/panel-document.js';
import { completeChange, type PanelInput, panelState } from '../../../src/core/gate/panel/panel-state.js';
import { loadPolicy } from '../../../src/core/policy/index.js';

/** Binds every list of a catalog to a policy, as the gate does. */
export function bindAll(policy: Policy, catalog: ServerCatalog): PanelInput['catalogs'] {
  return Object.fromEntries(
    KINDS.map((kind): [Kind, Catalog<Primitive>] => [kind, bindCatalog(policy, kind, catalog[kind] ?? [])]),
  );
}

/** Counts as a snapshot file does: its items have their tokens. Other items count a token for four characters. */
export const tokensOf = (definition: object): number =>
  'tokens' in definition && typeof definition.tokens === 'number'
    ? definition.tokens
    : Math.ceil(JSON.stringify(definition).length / 4);

/** Resolves preferences that come from a session, without any other source. */
export const configureFor =
  (policy: Policy, caller: Caller = {}): PanelInput['configure'] =>
  (concerns) =>
    resolveConfiguration(policy, [{ from: 'session', concerns }], caller);

interface Given extends Partial<Omit<PanelInput, 'configure' | 'catalogs'>> {
  readonly name?: string;
  readonly catalog?: ServerCatalog;
  readonly preferences: PanelPreferences;
}

/** Computes the document for a policy of this repository. */
export function stateOf(
  policyName: string,
  { name = policyName, catalog, preferences, ...rest }: Given,
): PanelState {
  const policy = loadPolicy(`policies/${policyName}.yaml`);
  const file: ServerCatalog = JSON.parse(readFileSync(`policies/${policyName}.catalog.json`, 'utf8'));
  return panelState({
    preferences,
    configure: configureFor(policy),
    catalogs: bindAll(policy, catalog ?? file),
    tokensOf,
    revision: 1,
    server: { name, version: '1.0.0' },
    session: 's1',
    sessions: [session('s1', 'claude-code', { version: '2.1.330', relisted: true })],
    warnings: [],
    ...rest,
  });
}

/** Whether a change of preferences shows less, as the page in a host must. */
function narrows(policyName: string, preferences: PanelPreferences) {
  const configure = configureFor(loadPolicy(`policies/${policyName}.yaml`));
  const before = configure(preferences);
  return (change: Readonly<Record<string, unknown>>): boolean =>
    onlyNarrows(before, configure(completeChange(before, change)));
}

const session = (
  id: string,
  client: string,
  rest: Partial<PanelState['sessions'][number]> = {},
): PanelState['sessions'][number] => ({
  id,
  client,
  via: 'http',
  relisted: null,
  ...rest,
});

const vault: ServerCatalog = JSON.parse(readFileSync('policies/vault.catalog.json', 'utf8'));

/** The states that are drawn: what a person sees on a good day, and on a bad one. */
export const STATES: Readonly<Record<string, PanelState>> = {
  vault: stateOf('vault', { name: 'Data vault', preferences: { security: 'high', access: 'read' } }),
  playwright: stateOf('playwright', { name: 'Playwright', preferences: { effect: 'read-only' } }),
  switched: stateOf('vault', {
    name: 'Data vault',
    preferences: { security: 'high' },
    sessions: [
      session('s1', 'claude-code', { version: '2.1.330', relisted: true }),
      session('s2', 'gemini-cli', { version: '0.61.0', via: 'stdio' }),
    ],
  }),
  empty: stateOf('vault', { name: 'Data vault', catalog: {}, preferences: {} }),
  nothing: stateOf('vault', {
    name: 'Data vault',
    preferences: { security: 'low', cost: 'high', access: 'read' },
    sessions: [session('s1', 'claude-code', { version: '2.1.330', relisted: false })],
  }),
  several: stateOf('vault', {
    name: 'Data vault',
    preferences: { cost: 'minimal' },
    sessions: [
      session('s1', 'claude-code', { version: '2.1.330', relisted: false }),
      session('s2', 'gemini-cli', { version: '0.61.0', via: 'stdio' }),
    ],
    warnings: ['"speed" (initialize) is not a concern of this server. It was ignored.'],
  }),
  asked: stateOf('vault', {
    name: 'Data vault',
    preferences: { security: 'high', access: 'read' },
    sessions: [
      session('s1', 'claude-code', {
        version: '2.1.330',
        proposal: {
          id: 'p1',
          changes: [
            { concern: 'security', from: ['high'], to: [] },
            { concern: 'access', from: ['read'], to: ['read', 'write', 'delete'] },
          ],
          tools: 14,
          names: (vault.tools ?? []).slice(0, 12).map(({ name }) => String(name)),
          others: 2,
        },
      }),
    ],
  }),
  many: stateOf('gitlab', { name: 'GitLab', preferences: {} }),
  long: stateOf('vault', {
    name: 'An internal platform for the secure storage of documents, records and credentials',
    catalog: {
      ...vault,
      tools: (vault.tools ?? []).map((tool) => ({
        ...tool,
        title: String(tool.name),
        description: 'Reads the record that belongs to the identifier and returns every field of it. '.repeat(
          3,
        ),
      })),
      resources: Array.from({ length: 3 }, (_, index) => ({
        name: `record ${index}`,
        uri: `vault://records/department-of-very-long-names/2026/quarter-4/${'a'.repeat(60)}-${index}`,
      })),
    },
    preferences: { security: 'medium' },
  }),
  rtl: stateOf('vault', {
    name: 'خزنة البيانات',
    catalog: {
      tools: (vault.tools ?? []).map((tool) => ({
        ...tool,
        description: 'تشفير النص باستخدام مفتاح من الخزنة.',
      })),
    },
    preferences: { security: 'high' },
  }),
  narrow: stateOf('vault', {
    name: 'Data vault',
    preferences: { security: 'medium', cost: 'minimal' },
    onlyNarrows: 'From here only less can be shown. A person can show more with "mcp-concerns switch".',
    allows: narrows('vault', { security: 'medium', cost: 'minimal' }),
  }),
  readonly: stateOf('vault', {
    name: 'Data vault',
    preferences: { security: 'high' },
    readOnly:
      'This endpoint keeps no preferences. To change them, connect with ?concerns=security:low in its URL.',
  }),
};
