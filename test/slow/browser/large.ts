import { bindCatalog, type Policy } from '../../../src/core/engine/index.js';
import { SERVER_META } from '../../../src/core/engine/servers/outside-names.js';
import type { PanelState } from '../../../src/core/gate/panel/panel-document.js';
import { type PanelInput, panelState } from '../../../src/core/gate/panel/panel-state.js';
import { policyFromText } from '../../policy-text.js';
import { configureFor, stateOf, tokensOf } from './states.js';

const TOPICS: Readonly<Record<string, string>> = {
  payments: 'charge_card, refund_payment, list_payouts: invoices, disputes, balances, tax and bank accounts',
  calendar: 'create_event, find_free_time, list_calendars: meetings, rooms, invitations and reminders',
  repositories: 'open_pull_request, list_branches, merge_branch: commits, reviews, tags and forks',
  messages: 'send_message, search_threads, list_channels: mentions, reactions and attachments',
  browser: 'open_page, click_element, take_screenshot: tabs, cookies, downloads and dialogs',
  databases: 'run_query, list_tables, explain_query: schemas, indexes, backups and roles',
  files: 'read_file, write_file, search_files: folders, permissions, archives and versions',
  tickets: 'create_ticket, assign_ticket, list_sprints: priorities, labels, boards and estimates',
  weather: 'get_forecast, list_stations, get_alerts: wind, rain, temperature and air quality',
  maps: 'find_route, geocode_address, list_places: distances, traffic and elevation',
  documents: 'create_page, export_pdf, compare_versions: comments, templates and translations',
  monitoring: 'list_alerts, query_metrics, silence_alert: dashboards, traces, logs and incidents',
};
const VERBS = ['get', 'list', 'create', 'update', 'delete', 'search', 'export'];
const NOUNS = ['record', 'customer_account', 'open_request', 'event', 'thread', 'report', 'revision'];
const REGIONS = ['europe', 'america', 'asia'];
const topics = Object.keys(TOPICS);
const at = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new RangeError('There are no values.');
  return value;
};

/** The topics are unequal: those of a real gateway are too. */
const topicOf = (index: number): string => at(topics, Math.floor((index * index) / 97) + index);

const TOOLS = Array.from({ length: 500 }, (_, index) => {
  const [topic, verb, noun] = [topicOf(index), at(VERBS, index * 3), at(NOUNS, index * 5 + 1)];
  return {
    name: `${topic}_${verb}_${noun}_${index}`,
    description: `Is about one ${noun.replace('_', ' ')} of ${topic} (${verb}), with its owner, its status and all comments.`,
    tokens: 90 + ((index * 37) % 240),
  };
});

const effectOf = (index: number): string =>
  ({ create: 'changes', update: 'changes', delete: 'destroys' })[at(VERBS, index * 3)] ?? 'read-only';

/** A policy with eight concerns for 500 tools, as a company writes it for a gateway. */
const largePolicy = (): Policy =>
  policyFromText(`version: 1
concerns:
  topic:
    description: What you are going to work on
    multiple: true
    model: free
    values: [${Object.entries(TOPICS).map(([name, text]) => `{ ${name}: ${JSON.stringify(text)} }`)}]
  effect:
    description: What a call may do
    match: at-most
    values: [{ read-only: It changes nothing }, { changes: It changes what can be changed back }, { destroys: It removes for good }]
  security: { description: How sensitive the data is, values: [public, internal, secret], match: at-most }
  cost: { description: What a call may cost, values: [free, cheap, expensive], match: at-most }
  environment: { values: [development, staging, production] }
  region: { description: Where the data is, multiple: true, values: [${REGIONS}] }
  maturity: { values: [experimental, beta, stable], match: at-least }
  seconds: { description: How long a call takes, values: { min: 0, max: 60 }, match: at-most }
presets:
  look: { effect: read-only }
  coding: { topic: [repositories, files, databases, tickets], effect: changes }
  office: { topic: [calendar, messages, documents], security: internal }
  safe: { effect: read-only, security: public, maturity: stable }
primitives:
  tools:
${TOOLS.map(({ name }, index) => {
  const values = {
    topic: topicOf(index),
    effect: effectOf(index),
    security: at(['public', 'internal', 'internal', 'secret'], index),
    cost: at(['free', 'free', 'cheap', 'expensive'], index * 7),
    ...(index % 3 === 0 ? { environment: at(['development', 'staging', 'production'], index) } : {}),
    region: at(REGIONS, index * 11),
    maturity: at(['stable', 'stable', 'beta', 'experimental'], index * 13),
    seconds: (index * 17) % 61,
  };
  return `    ${name}: ${JSON.stringify(values)}`;
}).join('\n')}
`);

let policy: Policy | undefined;
let catalog: ReturnType<typeof bindCatalog> | undefined;

/** The document of a page for that policy. */
export function largeState(preferences: PanelInput['preferences'], revision = 1): PanelState {
  policy ??= largePolicy();
  catalog ??= bindCatalog(policy, 'tools', TOOLS);
  return panelState({
    preferences,
    configure: configureFor(policy),
    catalogs: { tools: catalog },
    tokensOf,
    revision,
    server: { name: 'Company gateway', version: '1.0.0' },
    session: 's1',
    sessions: [{ id: 's1', client: 'claude-code', version: '2.1.330', via: 'http', relisted: true }],
    warnings: [],
  });
}

/** The document of a page for several servers, of which one is missing. */
export function serversState(preferences: PanelInput['preferences'] = {}): PanelState {
  const servers = ['browser', 'files', 'repositories'];
  const own = TOOLS.map((tool, index) => ({ ...tool, index, server: topicOf(index) })).filter(({ server }) =>
    servers.includes(server),
  );
  const values = servers.flatMap((server) => [server, `${server}.reading`, `${server}.writing`]);
  const partOf = (index: number) => (effectOf(index) === 'read-only' ? 'reading' : 'writing');
  const several = policyFromText(`version: 1
concerns:
  effect: { values: [read-only, changes, destroys], match: at-most }
  topic: { values: [${values}], match: within, multiple: true }
primitives:
  tools:
${own.map(({ name, index, server }) => `    ${server}__${name}: { effect: ${effectOf(index)}, topic: ${server}.${partOf(index)} }`).join('\n')}
`);
  const tools = own.map(({ name, description, tokens, server }) => ({
    name: `${server}__${name}`,
    description,
    tokens,
    _meta: { [SERVER_META]: server, 'io.github.mcp-concerns/own': { name } },
  }));
  const missing = ['The server payments is not available: it ended with code 1.'];
  return {
    ...panelState({
      preferences,
      configure: configureFor(several),
      catalogs: { tools: bindCatalog(several, 'tools', tools) },
      tokensOf,
      revision: 1,
      server: { name: 'mcp-concerns' },
      session: 's1',
      sessions: [{ id: 's1', client: 'codex', version: '0.169.0', via: 'stdio', relisted: false }],
      warnings: missing,
    }),
    missing,
  };
}

/** More states that are drawn: many tools, several servers, and single tools that were switched. */
export const LARGE_STATES: Readonly<Record<string, PanelState>> = {
  large: largeState({ effect: 'read-only', topic: ['databases', 'files', 'tickets'] }),
  servers: serversState({ topic: ['files', 'browser.reading'] }),
  // Topics that only write have no tool left, and are gray.
  looked: {
    ...serversState({ effect: 'read-only', topic: ['files.reading', 'repositories'] }),
    sessions: [{ id: 's1', client: 'opencode', version: '1.18.33', via: 'stdio', relisted: true }],
    uncalled: { tools: 96, since: '2026-10-01' },
    warnings: [],
    missing: [],
  },
  alone: stateOf('vault', {
    name: 'Data vault',
    preferences: {
      security: 'high',
      access: 'read',
      '+tools': ['rotateKey'],
      '-tools': ['hashData', 'signData'],
    },
  }),
};
