import { Talk } from '../concerns/talk.js';
import { policyOf } from '../gate-harness.js';

/** Concerns of each kind: for people only, for models too, and for the operator. */
const POLICY = `
concerns:
  security: { values: [low, high] }
  topic: { values: [news, stocks], multiple: true, model: free }
  budget: { values: { min: 0, max: 10 }, model: narrow }
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
presets:
  safe: { security: high }
  cheap: { security: low, budget: 1 }
primitives:
  tools:
    a: { security: low, topic: news }
    b: { security: high, topic: stocks }
    c: { security: high, topic: news, budget: 5 }
    paid: { tier: pro }
  # Their values are those that the server declares.
  prompts: { p: {} }
  resources: { 'x://r': {} }
`;

/** @param settings more settings, such as `panel: on` */
export const panelPolicy = (settings: string, text = POLICY) =>
  policyOf(`${text}settings: { unmapped: hide, ${settings} }\n`);

export const ON = panelPolicy('panel: on');
export const READ_ONLY = panelPolicy('panel: read-only');
export const NO_PRESETS = panelPolicy('panel: on', POLICY.replace(/presets:.*?(?=primitives:)/s, ''));

export const TOOLS = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'paid' }];

/** How a person can change what is shown under `ON`. */
export const HOW =
  'A person can change what is shown with the prompt "concerns", or one of the prompts concerns-safe, concerns-cheap.';
export const NOT_KEPT =
  'This connection keeps no preferences. Put them into the URL of the server, for example ?concerns=NAME:VALUE.';
export const ONLY_LOOK =
  'The panel is read-only, so nothing can be changed here. To allow changes, set "panel: on" under "settings" in the policy. If the policy does not set it, run "mcp-concerns serve" with "--panel on".';

/** A connection to a server with the tools, of a client that shows pages or forms. */
export const talkTo = (
  policy = ON,
  surfaces: { readonly app?: boolean; readonly form?: boolean } = {},
  record: object = {},
  tools: readonly object[] = TOOLS,
): Talk => {
  const panel = { app: false, form: false, ...surfaces };
  return new Talk(policy, {
    lists: { tools },
    preferences: { place: 'connection', record: { panel, listChanged: ['tools'], ...record } },
  });
};
