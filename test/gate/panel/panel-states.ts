import { type Caller, resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { ServerCatalog } from '../../../src/core/engine/index.js';
import { KINDS, type Policy } from '../../../src/core/engine/policy.js';
import { bindCatalog } from '../../../src/core/engine/select.js';
import type { PanelState } from '../../../src/core/gate/panel/panel-document.js';
import { type PanelInput, panelState } from '../../../src/core/gate/panel/panel-state.js';
import { policyOf, yaml } from '../../policy/author.js';

export const TEXT = yaml`
  version: 1
  concerns:
    security: { description: How safe, values: [{ low: Anybody }, high] }
    topic: { values: [news, stocks], multiple: true }
    budget: { values: { min: 0, max: 9 }, match: exact }
    tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
  presets:
    safe: { security: high }
    cheap: { budget: 1, topic: [news, stocks] }
  primitives:
    tools:
      a: { security: low, topic: news }
      b: { security: high, topic: stocks }
      c: { security: high, budget: 5 }
      paid: { tier: pro }
    prompts: { p: { security: low } }
  settings: { unmapped: hide }
`;
export const policy = policyOf(TEXT);
export const TOOLS = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'paid' }, { name: 'unknown' }];
export const CONNECTION = { revision: 1, server: { name: 'test' }, session: 's', sessions: [], warnings: [] };

interface Given extends Partial<Omit<PanelInput, 'configure' | 'catalogs'>> {
  readonly from?: Policy;
  readonly catalog?: ServerCatalog;
  readonly caller?: Caller;
  readonly model?: Readonly<Record<string, unknown>>;
}

/** The document for a policy and a server's lists, each of whose definitions has ten tokens. */
export function stateOf({
  from = policy,
  catalog = { tools: TOOLS },
  caller,
  model,
  ...rest
}: Given = {}): PanelState {
  const configure: PanelInput['configure'] = (concerns, decided = []) => {
    const kept = Object.entries(model ?? {}).filter(([name]) => decided !== 'all' && !decided.includes(name));
    const sources = [{ from: 'session', concerns }] as const;
    const byModel = { from: 'model', concerns: Object.fromEntries(kept) } as const;
    return resolveConfiguration(from, model === undefined ? sources : [byModel, ...sources], caller);
  };
  return panelState({
    preferences: {},
    configure,
    catalogs: Object.fromEntries(KINDS.map((kind) => [kind, bindCatalog(from, kind, catalog[kind] ?? [])])),
    tokensOf: () => 10,
    ...(caller === undefined ? {} : { caller }),
    ...CONNECTION,
    ...rest,
  });
}
