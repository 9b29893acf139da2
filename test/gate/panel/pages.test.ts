import { describe, expect, it } from 'vitest';
import { parseLogLine } from '../../../src/cli/reports/why/log-line.js';
import { replay } from '../../../src/cli/reports/why/replay.js';
import { reportFields } from '../../../src/core/telemetry/report-fields.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const PAGE = 'ui://chart.html';
const ui = (resourceUri: string | undefined, ...visibility: string[]) => ({
  _meta: {
    ui: {
      ...(resourceUri === undefined ? {} : { resourceUri }),
      ...(visibility.length === 0 ? {} : { visibility }),
    },
  },
});
const TOOLS = [
  { name: 'chart', ...ui(PAGE) },
  { name: 'refresh', annotations: { readOnlyHint: false }, ...ui(PAGE, 'app') },
  { name: 'anyPage', annotations: { readOnlyHint: false }, ...ui(undefined, 'app') },
  { name: 'elsewhere', annotations: { readOnlyHint: false }, ...ui('ui://other.html', 'app') },
  { name: 'writes', annotations: { readOnlyHint: false } },
];
const LISTS = { 'tools/list': TOOLS, 'resources/list': [{ uri: PAGE, name: 'page' }] };
const APP = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const READ = { _meta: { [EXTENSION_ID]: { concerns: { access: 'read' } } } };

const policyWith = (more: string, settings = '') =>
  policyOf(`
concerns:
  access: { values: [read, write] }
assign:
  - { when: { '===': [{ var: primitive.annotations.readOnlyHint }, false] }, to: { access: write } }
${more}
settings: { enforcement: enforce, unmapped: hide${settings} }
`);
const CHART = 'primitives: { tools: { chart: { access: read } } }\n';

function connect(policy = policyWith(CHART), capabilities: object = APP): Harness {
  const harness = new Harness(policy).serve(LISTS);
  harness.request('init', 'initialize', { capabilities, clientInfo: { name: 'host', version: '1' } });
  return harness;
}

const toolsOf = (harness: Harness): unknown[] => {
  harness.request('list', 'tools/list', READ);
  const tools = read(harness.answers('list')[0], 'result', 'tools');
  return Array.isArray(tools) ? tools.map((tool) => read(tool, 'name')) : [];
};

/** Whether a request reaches the server with the name that the client sent. */
function reaches(harness: Harness, method: string, params: Record<string, unknown>): boolean {
  const from = harness.toServer.length;
  harness.request(`${method}-${from}`, method, { ...params, ...READ });
  const name = params.uri ?? params.name;
  return harness.toServer
    .slice(from)
    .some((message) => [read(message, 'params', 'uri'), read(message, 'params', 'name')].includes(name));
}

describe('a tool with a page', () => {
  const NAMED = `primitives:
  tools: { chart: { access: read }, refresh: { access: read }, anyPage: { access: write } }
  resources: { "${PAGE}": {} }
`;

  it('gets the page and the tools of the page that entries show', () => {
    const harness = connect(policyWith(NAMED));
    expect(toolsOf(harness)).toEqual(['chart', 'refresh']);
    harness.request('whole', 'tools/list', READ);
    // As the server lists them.
    expect(read(harness.answers('whole')[0], 'result', 'tools')).toEqual(TOOLS.slice(0, 2));
    expect(reaches(harness, 'tools/call', { name: 'refresh' })).toBe(true);
    expect(reaches(harness, 'tools/call', { name: 'anyPage' })).toBe(false);
    expect(reaches(harness, 'resources/read', { uri: PAGE })).toBe(true);
    expect(reaches(harness, 'resources/subscribe', { uri: PAGE })).toBe(true);
    expect(reaches(harness, 'resources/read', { uri: 'ui://other.html' })).toBe(false);
  });

  it('gets the whole answer of its page', () => {
    const harness = connect(policyWith(NAMED));
    const listed = harness.onServer;
    const contents = [{ uri: PAGE, text: `<a href="${PAGE}">` }];
    harness.onServer = (message) => {
      if (read(message, 'method') !== 'resources/read') return listed(message);
      void harness.server({ jsonrpc: '2.0', id: read(message, 'id'), result: { contents } });
    };
    harness.request('read', 'resources/read', { uri: PAGE, ...READ });
    expect(read(harness.answers('read')[0], 'result')).toEqual({ contents });
  });

  it('gets nothing, and no link to the page, that the policy does not show', () => {
    const harness = connect();
    expect(toolsOf(harness)).toEqual(['chart']);
    expect(JSON.stringify(harness.answers('list'))).not.toContain(PAGE);
    expect(reaches(harness, 'tools/call', { name: 'refresh' })).toBe(false);
    expect(reaches(harness, 'resources/read', { uri: PAGE })).toBe(false);
  });

  it('is logged so that the decision can be made again', () => {
    const policy = policyWith(NAMED);
    const harness = connect(policy);
    toolsOf(harness);
    const report = harness.reports.at(-1);
    const line = report && JSON.stringify(reportFields({ ...report, policy: policy.digest }));
    const logged = parseLogLine(line ?? '');
    expect(logged && replay(logged, policy, { tools: TOOLS })).toMatchObject({ same: true, intact: true });
  });
});
