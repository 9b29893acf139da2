import type { Policy } from '../../../src/core/engine/policy.js';
import { panelPolicy } from './panel-policy.js';

const TOPICS = [
  'payments',
  'calendar',
  'repositories',
  'messages',
  'browser',
  'databases',
  'files',
  'weather',
  'maps',
  'tickets',
];
const VERBS = ['get', 'list', 'create', 'update', 'delete', 'search', 'export', 'merge', 'assign', 'archive'];
const NOUNS = ['record', 'customer_invoice', 'pull_request', 'calendar_event', 'thread_message'];

/** A description as `init` writes it: three names, then telling words, at most 120 characters. */
const meaning = (topic: string): string =>
  `get_${topic}, list_${topic}_records, create_${topic}: account owner status amount currency history comment attachment review`.slice(
    0,
    120,
  );

/** The policy that `init` writes for a gateway in front of ten servers, with the panel on. */
export function manyPolicy(settings = ''): Policy {
  const values = TOPICS.map((topic) => `{ ${topic}: "${meaning(topic)}" }`);
  const patterns = TOPICS.map((topic) => `"${topic}_*": { topic: ${topic} }`);
  return panelPolicy(
    `panel: on${settings}`,
    `concerns:
  effect: { description: What a call may do, values: [read-only, changes, destroys], match: at-most }
  topic: { description: What you are going to work on, multiple: true, model: free, values: [${values.join(', ')}] }
patterns: { tools: { ${patterns.join(', ')} } }
`,
  );
}

/** As many tools as a large gateway has. */
export const manyTools = (count: number, text = '') =>
  Array.from({ length: count }, (_, index) => {
    const [topic, verb, noun] = [TOPICS, VERBS, NOUNS].map(
      (words, at) => words[(index >> at) % words.length],
    );
    return {
      name: `${topic}_${verb}_${noun}_${index}`,
      description: `${text}${verb} one ${noun?.replace('_', ' ')} of the account ${index}, with its owner, its status and all comments.`,
    };
  });
