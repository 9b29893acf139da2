/** Part of every hidden name, and of every text that only a hidden primitive has. No client may receive it. */
export const MARK = 'h1dd3n';

const TOOL = `${MARK}_tool`;
const UNLISTED = `${MARK}_unlisted`;
const PROMPT = `${MARK}_prompt`;
const URI = `vault://${MARK}/doc`;
const TEMPLATE = `vault://${MARK}/t/{id}`;
/** A URI that the hidden template matches. */
const MATCHED = `vault://${MARK}/t/7`;
const SKILL = `skill://${MARK}/SKILL.md`;

export const HIDDEN_NAMES = [
  ...[TOOL, UNLISTED, PROMPT, URI, TEMPLATE, MATCHED, SKILL],
  ...['skill://h1dd3n/guide.md', 'skill://open/h1dd3n.md'],
];

/** What hides everything with the mark. Sources of preferences differ in the head. */
export const HIDDEN = `
primitives:
  tools: { ${TOOL}: { security: low }, ${UNLISTED}: { security: low }, open_tool: { security: high } }
  prompts: { ${PROMPT}: { security: low } }
  resources: { "${URI}": { security: low } }
  resourceTemplates: { "${TEMPLATE}": { security: low } }
patterns:
  resources: { "skill://${MARK}*": { security: low }, "skill://open/${MARK}*": { security: low } }
`;

/** A text that names everything that an entry or a list hides. */
const SECRETS = `Try ${TOOL}, ${UNLISTED}, ${PROMPT}, ${URI} or ${TEMPLATE}.`;
/** The error of every row. */
export const ERROR = { code: -32000, message: SECRETS, data: { [TOOL]: [SECRETS, { [URI]: PROMPT }] } };

const link = (uri: string) => ({ type: 'resource_link', uri, name: MARK });
const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: MARK } });
const LINKS = [link(URI), link(MATCHED), embedded(URI), embedded(MATCHED), embedded(SKILL)];
const OPEN = { type: 'text', text: 'open' };
const FAILED = {
  isError: true,
  content: [{ type: 'text', text: SECRETS }, ...LINKS],
  structuredContent: { [TOOL]: SECRETS },
};
const SAMPLING = {
  messages: [],
  maxTokens: 1,
  tools: [{ name: TOOL, description: SECRETS }, { name: 'own' }],
};
const TASK = {
  taskId: 't',
  status: 'working',
  statusMessage: SECRETS,
  createdAt: '2026-01-01T00:00:00Z',
  ttl: 1,
};
const FILES = [{ uri: 'skill://open/guide.md' }, { uri: `skill://open/${MARK}.md`, digest: MARK }];

/** One row of the table of methods: params that name nothing hidden, and results with the mark in each field. */
export interface Row {
  readonly params: object;
  /** In each result, the mark is wherever this method can carry a hidden name. */
  readonly results: readonly object[];
}

const row = (params: object, ...results: object[]): Row => ({ params, results });
/** A method whose result names nothing: only its errors can. */
const onlyErrors = (params: object = {}): Row => row(params, {});
/** A method that the gate answers itself. */
const ofGate = (params: object = {}): Row => row(params, { [TOOL]: SECRETS });

const item = (name: string) => ({ name, description: name, _meta: { concerns: { security: `${name}?` } } });
/** The primitives of the server, some of them with `_meta.concerns` that the policy does not declare. */
export const CATALOG: Readonly<Record<string, Readonly<Record<string, object[]>>>> = {
  'tools/list': {
    tools: [
      { ...item(TOOL), inputSchema: { type: 'object' } },
      {
        name: 'open_tool',
        inputSchema: { type: 'object' },
        _meta: { ui: { resourceUri: URI, visibility: [] } },
      },
      { name: 'other_tool', inputSchema: { type: 'object' }, _meta: { 'ui/resourceUri': MATCHED } },
    ],
  },
  'prompts/list': { prompts: [item(PROMPT), { name: 'open_prompt' }] },
  'resources/list': {
    resources: [
      { ...item(MARK), uri: URI },
      { ...item(MARK), uri: SKILL },
      { uri: 'vault://open', name: 'open' },
    ],
  },
  'resources/templates/list': {
    resourceTemplates: [
      { ...item(MARK), uriTemplate: TEMPLATE },
      { uriTemplate: 'vault://{+path}', name: 'all' },
    ],
  },
};

/** Every row of the table of methods that a client may request. */
export const ROWS: Readonly<Record<string, Row>> = {
  initialize: row(
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      serverInfo: { name: 'leaky', version: '1' },
      instructions: SECRETS,
    },
  ),
  'server/discover': row(
    {},
    {
      supportedVersions: [],
      capabilities: { tools: {}, resources: {} },
      serverInfo: {},
      instructions: SECRETS,
    },
  ),
  ping: onlyErrors(),
  'logging/setLevel': onlyErrors({ level: 'debug' }),
  listConcerns: ofGate(),
  updateConcerns: ofGate({ concerns: { security: 'high' } }),
  ...Object.fromEntries(Object.entries(CATALOG).map(([method, list]) => [method, row({}, list)])),
  'tools/call': row(
    { name: 'open_tool', arguments: {} },
    { content: [OPEN, ...LINKS], structuredContent: { deep: [LINKS, { deeper: LINKS }] } },
    FAILED,
    { task: TASK },
    {
      resultType: 'input_required',
      inputRequests: {
        a: {
          method: 'sampling/createMessage',
          params: {
            ...SAMPLING,
            systemPrompt: SECRETS,
            messages: [{ role: 'user', content: { type: 'text', text: SECRETS } }],
          },
        },
        b: { method: 'elicitation/create', params: { message: SECRETS, _meta: { [TOOL]: SECRETS } } },
        c: { method: SECRETS, other: SECRETS },
      },
    },
  ),
  'prompts/get': row(
    { name: 'open_prompt' },
    { messages: [...LINKS.map((content) => ({ role: 'user', content })), { role: 'user', content: OPEN }] },
  ),
  'resources/read': row(
    { uri: 'vault://open' },
    {
      contents: [
        { uri: 'vault://open', text: 'open' },
        ...[URI, MATCHED, SKILL].map((uri) => ({ uri, text: MARK })),
      ],
    },
    { contents: [{ uri: URI, text: MARK }] },
  ),
  'resources/subscribe': onlyErrors({ uri: 'vault://open' }),
  'resources/unsubscribe': onlyErrors({ uri: 'vault://open' }),
  'completion/complete': row(
    { ref: { type: 'ref/resource', uri: 'vault://{+path}' }, argument: { name: 'path', value: '' } },
    {
      completion: { values: ['open', TOOL, URI, TEMPLATE, UNLISTED, `${MARK}/doc`, `${MARK}/t/7`], total: 7 },
    },
  ),
  'subscriptions/listen': ofGate({ notifications: { resourceSubscriptions: ['vault://open'] } }),
  // The list of tasks has a suite of its own: which tasks it shows depends on who made them.
  'tasks/list': onlyErrors(),
  'tasks/get': row({ taskId: 't' }, TASK, { ...TASK, result: FAILED }, { ...TASK, error: ERROR }),
  'tasks/result': row({ taskId: 't' }, { content: [OPEN, ...LINKS] }, FAILED),
  'tasks/cancel': row({ taskId: 't' }, TASK),
  'tasks/update': row({ taskId: 't' }, TASK),
  'skills/list': row(
    {},
    {
      skills: [
        { uri: 'skill://open/SKILL.md', resources: FILES },
        { uri: SKILL, frontmatter: { name: MARK } },
      ],
    },
  ),
  'skills/get': row({ uri: 'skill://open/SKILL.md' }, { skill: { resources: FILES } }),
  'resources/directory/read': row(
    { uri: 'skill://open/' },
    { resources: [...FILES, { uri: SKILL, description: MARK }] },
  ),
  'groups/list': row(
    {},
    { groups: [{ name: 'open', description: SECRETS }], [TOOL]: SECRETS },
    // The name of a group is its own, also where a hidden tool has the same.
    { groups: [TOOL, [SECRETS], null, { name: 'other', title: PROMPT }] },
  ),
  'groups/get': row(
    { name: 'open' },
    { description: SECRETS, tools: [{ name: TOOL }, { name: 'open_tool' }], prompts: [item(PROMPT)] },
    { name: TOOL, tools: [TOOL, { name: 'open_tool', description: SECRETS }], [TOOL]: SECRETS },
  ),
};

/** Every notification of a server, with the mark in each field that can carry it. */
export const NOTIFICATION_ROWS: Readonly<Record<string, readonly object[]>> = {
  'notifications/cancelled': [{ requestId: 'of-the-server', reason: SECRETS }],
  'notifications/progress': [{ progressToken: 1, progress: 1, message: SECRETS }],
  'notifications/message': [{ level: 'info', logger: TOOL, data: { [TOOL]: [SECRETS, { [URI]: SECRETS }] } }],
  'notifications/tools/list_changed': [{}],
  'notifications/prompts/list_changed': [{}],
  'notifications/resources/list_changed': [{}],
  'notifications/resources/updated': [URI, MATCHED, SKILL].map((uri) => ({ uri })),
  'notifications/tasks/status': [TASK],
  // The stream of a client ends at the gate, so a server's answer to it never reaches one.
  'notifications/subscriptions/acknowledged': [
    { notifications: { resourceSubscriptions: [URI] }, [TOOL]: SECRETS },
  ],
  'notifications/elicitation/complete': [{ elicitationId: 'e' }],
};

/** Every request of a server. What a server asks a person is its own text. */
export const SERVER_REQUEST_ROWS: Readonly<Record<string, object>> = {
  ping: {},
  'roots/list': {},
  'sampling/createMessage': SAMPLING,
  'elicitation/create': { message: 'open' },
  'tasks/get': { taskId: 'c' },
  'tasks/list': {},
  'tasks/result': { taskId: 'c' },
  'tasks/cancel': { taskId: 'c' },
};

/** Messages that are in no table: `enforce` must refuse or drop them in either direction. */
export const INVENTED = [
  'com.example/groups/list',
  'com.example/groups/get',
  'tools/resolve',
  'interceptors/list',
  'interceptor/invoke',
  'events/poll',
  'tools/List',
  'tools/call/',
  'resources/read#',
  '__proto__',
];

export const INVENTED_PARAMS = { name: TOOL, uri: URI, [TOOL]: SECRETS };
