/** Names that policies cannot define: hosts choose a preset as `preset`, and mappings remove a value with `any`. */
export const RESERVED = { concern: 'preset', value: 'any' } as const;
/** The limits of the policy language: numbers of entries, bytes of a file, levels of nesting, characters. */
export const LIMITS = {
  rules: 256,
  fileBytes: 256 * 1024,
  depth: 256,
  concerns: 64,
  values: 256,
  patternLength: 256,
  patternWildcards: 16,
  methods: 64,
} as const;

const NAME = '^[a-z][a-z0-9_-]{0,63}$';
/** The pattern of a value that hosts can set. It allows only characters that they can send in URLs and headers unescaped. */
export const VALUE_NAME = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';
/** The pattern of a value that only claims set: scopes, ARNs and names of groups. It has no control characters. */
export const CLAIMED_VALUE = '^[^\\u0000-\\u001F\\u007F-\\u009F]{1,256}$';

/** The pattern of `values` that are neither a list nor a range: the servers of the endpoint. */
export const SERVER_VALUES = '^servers$';

/** Makes the schema of a text that must not be empty, as a part of the schema of a file. */
export const text = (description: string, example: string) =>
  ({ description, type: 'string', minLength: 1, examples: [example] }) as const;

/** Makes that of a text that may be empty. */
export const anyText = (description: string, example: string) =>
  ({ description, type: 'string', examples: [example] }) as const;

/** Makes that of one of several words. */
export const choice = <const V extends readonly string[]>(
  description: string,
  values: V,
  example: V[number],
) => ({ description, enum: values, examples: [example] }) as const;

/** Makes that of a yes or no. */
const flag = (description: string) => ({ description, type: 'boolean', examples: [true] }) as const;

const declaredValue = {
  type: ['string', 'object'],
  pattern: CLAIMED_VALUE,
  description:
    'The name of a value: letters, digits, "_", "." and "-", starting with a letter or digit, at most 64 characters. With `set-by: operator`, any text of at most 256 characters. Or a mapping of one name to its description.',
  minProperties: 1,
  maxProperties: 1,
  propertyNames: { pattern: CLAIMED_VALUE },
  additionalProperties: text('What the value means, for the person who chooses it.', 'Prices of companies'),
  examples: ['high', { stocks: 'Prices of companies' }],
} as const;

const offeredValue = {
  description:
    'A value of the concern, or a list of values of which at least one must match. `any` removes the value that weaker entries give.',
  type: ['string', 'number', 'array'],
  minItems: 1,
  maxItems: LIMITS.values,
  items: { type: ['string', 'number'] },
  examples: ['high', ['low', 'medium'], 'any'],
} as const;

const mapping = {
  description: 'Values by concern. `{}` maps a primitive without giving it values.',
  type: 'object',
  additionalProperties: offeredValue,
  examples: [{ security: 'high', cost: 'minimal' }],
} as const;

const mappings = (description: string, example: string) =>
  ({
    description,
    type: 'object',
    additionalProperties: mapping,
    examples: [{ [example]: { security: 'high' } }],
  }) as const;

const ruleKinds = (verb: string) =>
  ({
    description: `The kinds of primitives that the rule ${verb}.`,
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { enum: ['tools', 'prompts', 'resources', 'resourceTemplates'] },
    examples: [['tools']],
  }) as const;

const clientPattern = (what: string, example: string) =>
  ({
    description: `A pattern of the ${what} of the client, where \`*\` matches any number of characters.`,
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.patternLength,
    examples: [example],
  }) as const;

/** The JSON Schema (draft-07) of a policy file. Editors show its descriptions and examples. */
export const policySchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'mcp-concerns policy',
  description:
    'Maps the primitives of an MCP server to concerns, in terms that the users of the server understand.',
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { const: 1, description: 'The version of the policy language.', examples: [1] },
    include: {
      description: 'Policy files that are merged before this file. Paths are relative to this file.',
      type: 'array',
      items: { type: 'string', minLength: 1 },
      examples: [['common.yaml']],
    },
    servers: {
      description:
        'Several servers behind one endpoint, by their key in the file of `--servers`. Names of primitives then begin with the server: `files__write`.',
      type: 'object',
      examples: [{ files: { policy: 'files.yaml' } }],
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        examples: [{ policy: 'files.yaml' }],
        properties: {
          policy: text(
            'The policy of this server alone, with its own names. The path is relative to this file.',
            'files.yaml',
          ),
          concerns: {
            description: 'Which concerns of its policy take part. By default all.',
            type: 'array',
            items: { type: 'string' },
            examples: [['effect']],
          },
          map: {
            description:
              'What values of its policy are called here, by concern. Values that are not named keep their name.',
            type: 'object',
            examples: [{ effect: { writes: 'changes' } }],
            additionalProperties: {
              description: 'The value here, by the value in the policy of the server.',
              type: 'object',
              additionalProperties: anyText('A value of the concern here.', 'changes'),
              examples: [{ writes: 'changes' }],
            },
          },
        },
      },
    },
    concerns: {
      description:
        'The concerns that hosts or the operator can set, by name. The server declares them to hosts in this order.',
      type: 'object',
      maxProperties: LIMITS.concerns,
      propertyNames: { pattern: NAME },
      examples: [{ security: { values: ['low', 'medium', 'high'] } }],
      additionalProperties: {
        type: 'object',
        required: ['values'],
        additionalProperties: false,
        examples: [{ values: ['low', 'high'] }, { values: ['low', 'medium', 'high'], match: 'at-least' }],
        properties: {
          description: anyText(
            'What the concern means, for the person who sets it.',
            'Security level required for the operation',
          ),
          values: {
            description:
              'The values as an ordered list, or a range of numbers. A value can carry a description: `- stocks: Prices of companies`. `servers` means each server and, below it, the values of its own policy: `files`, `files.search`.',
            type: ['array', 'object', 'string'],
            pattern: SERVER_VALUES,
            minItems: 1,
            maxItems: LIMITS.values,
            uniqueItems: true,
            items: declaredValue,
            required: ['min', 'max'],
            additionalProperties: false,
            properties: {
              min: { type: 'number', description: 'The smallest number.', examples: [0] },
              max: { type: 'number', description: 'The largest number.', examples: [500] },
            },
            examples: [
              ['low', 'medium', 'high'],
              [{ stocks: 'Prices of companies' }, 'news'],
              { min: 0, max: 500 },
              'servers',
            ],
          },
          match: choice(
            'How the value of a primitive must compare to the preferred value: `exact` (equal, the default for a list), `at-least`, `at-most` (the default for a range), or `within` (equal, above or below in a hierarchy of dotted names such as finance.stocks).',
            ['exact', 'at-least', 'at-most', 'within'],
            'at-most',
          ),
          multiple: flag(
            'Whether a host can set several values, of which at least one must match. Requires a list and `match: exact` or `match: within`.',
          ),
          default: {
            description:
              'The value that applies if no preference sets the concern. `settings.defaults` decides when it applies.',
            type: ['string', 'number'],
            examples: ['medium'],
          },
          'set-by': choice(
            'Who sets the concern: `host` (default), or `operator`, which reads it from verified claims only.',
            ['host', 'operator'],
            'operator',
          ),
          model: choice(
            'What a model may do with the concern through the tool `concerns`: nothing (`none`, default), hide more (`narrow`), or replace the value of the person (`free`). Only for concerns that hosts set.',
            ['none', 'narrow', 'free'],
            'free',
          ),
          lists: choice(
            'Whether lists follow the preferences of a session (`filter`, default), or stay as they are (`stable`): then the value that a session sets decides only what calls may do. For a concern of the operator, this changes nothing.',
            ['filter', 'stable'],
            'stable',
          ),
          claim: {
            description:
              'The verified claim that sets an operator concern: its name, or a list of names that leads through objects. `scope` means the scopes of the caller, in any form that tokens have.',
            type: ['string', 'array'],
            minLength: 1,
            minItems: 1,
            items: { type: 'string', minLength: 1 },
            examples: ['scope', 'custom:tier', ['realm_access', 'roles']],
          },
          obtainable: flag(
            'Whether callers can get the scope: under `enforce`, what only this concern hides stays in the lists, and using it answers which scope is missing. Only with `claim: scope`.',
          ),
          'claim-values': {
            description:
              'What the claim contains for a value, if that is not the name of the value. A value without an entry matches its name.',
            type: 'object',
            examples: [{ ops: ['arn:aws:iam::123456789012:role/ops', 'ops team'] }],
            additionalProperties: {
              description: 'The texts in the claim that mean this value.',
              type: 'array',
              minItems: 1,
              maxItems: LIMITS.values,
              uniqueItems: true,
              items: { type: 'string', minLength: 1 },
              examples: [['ops team']],
            },
          },
        },
      },
    },
    presets: {
      description:
        'Names for sets of preferences. A host chooses one with `{preset: safe}` or `?concerns=safe`.',
      type: 'object',
      propertyNames: { pattern: NAME },
      examples: [{ safe: { security: 'high', access: 'read' } }],
      additionalProperties: {
        type: 'object',
        examples: [{ security: 'high' }],
        additionalProperties: {
          description:
            'The value that the preset sets. `null` sets no value, also if the concern has a default.',
          type: ['string', 'number', 'array', 'null'],
          minItems: 1,
          items: { type: 'string' },
          examples: ['high'],
        },
      },
    },
    'defaults-for': {
      description:
        'Defaults for clients by how they name themselves. Everything that a host or a person sets is stronger. Of several items for one concern, the last one wins.',
      type: 'array',
      maxItems: LIMITS.rules,
      examples: [[{ when: { 'client.name': 'cursor*' }, preset: 'few' }]],
      items: {
        type: 'object',
        required: ['when', 'preset'],
        additionalProperties: false,
        examples: [{ when: { 'client.name': 'cursor*' }, preset: 'few' }],
        properties: {
          when: {
            description:
              'Patterns of the name, the title and the version that the client gives itself. All of them must match.',
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            examples: [{ 'client.name': 'cursor*' }],
            properties: {
              'client.name': clientPattern('name', 'cursor*'),
              'client.title': clientPattern('title', 'Cursor*'),
              'client.version': clientPattern('version', '1.*'),
            },
          },
          preset: anyText('The preset whose values are the defaults of these clients.', 'few'),
        },
      },
    },
    primitives: {
      description: 'Values of primitives by exact name, URI or URI template.',
      type: 'object',
      additionalProperties: false,
      examples: [{ tools: { encryptData: { security: 'high' } } }],
      properties: {
        tools: mappings('Tools by name.', 'encryptData'),
        prompts: mappings('Prompts by name.', 'reviewAccess'),
        resources: mappings('Resources by URI.', 'vault://audit'),
        resourceTemplates: mappings('Resource templates by URI template.', 'vault://keys/{id}'),
      },
    },
    patterns: {
      description:
        'Values of primitives by pattern, where `*` matches any number of characters. Later patterns win over earlier ones.',
      type: 'object',
      additionalProperties: false,
      examples: [{ tools: { 'log*': { security: ['low', 'medium'] } } }],
      properties: {
        tools: mappings('Tools by pattern.', 'log*'),
        prompts: mappings('Prompts by pattern.', 'review*'),
        resources: mappings('Resources by pattern of the URI.', 'vault://*'),
        resourceTemplates: mappings(
          'Resource templates by pattern of the URI template, as the server lists it.',
          'vault://*',
        ),
      },
    },
    present: {
      description: 'How primitives are presented to hosts, for servers that one does not own.',
      type: 'object',
      additionalProperties: false,
      examples: [{ tools: { tree: { title: 'List a folder' } } }],
      properties: {
        tools: {
          description: 'Tools by name.',
          type: 'object',
          examples: [{ tree: { title: 'List a folder', annotations: { readOnlyHint: true } } }],
          additionalProperties: {
            description: 'What replaces the texts of the server, and hints that are added.',
            type: 'object',
            additionalProperties: false,
            minProperties: 1,
            examples: [{ title: 'List a folder' }],
            properties: {
              title: text('The title, which people read.', 'List a folder'),
              description: text('The description, which models read.', 'Lists the files of a folder.'),
              annotations: {
                description:
                  'Hints that the server does not give. One that promises less harm than the hint of the server is an error.',
                type: 'object',
                additionalProperties: false,
                minProperties: 1,
                examples: [{ readOnlyHint: true }],
                properties: {
                  readOnlyHint: flag('Whether the tool only reads.'),
                  destructiveHint: flag('Whether it may delete or overwrite.'),
                  idempotentHint: flag('Whether a second equal call changes nothing more.'),
                  openWorldHint: flag('Whether it may contact anything outside.'),
                },
              },
            },
          },
        },
      },
    },
    assign: {
      description:
        'Values derived from the definitions that the server lists. Later items win over earlier ones, and patterns win over all items.',
      type: 'array',
      maxItems: LIMITS.rules,
      examples: [
        [{ when: { '===': [{ var: 'primitive.annotations.readOnlyHint' }, true] }, to: { access: 'read' } }],
      ],
      items: {
        type: 'object',
        required: ['when', 'to'],
        additionalProperties: false,
        properties: {
          when: {
            description:
              'A JSON Logic condition. It can read kind, name, title, description, parameters, required, uri, mimeType, annotations.*, tags, server, execution.taskSupport and meta.* of `primitive`.',
            examples: [{ '===': [{ var: 'primitive.annotations.readOnlyHint' }, true] }],
          },
          to: mapping,
        },
      },
    },
    rules: {
      description:
        'Rules that hide or show primitives for all hosts, including hosts that do not set any concern.',
      type: 'array',
      maxItems: LIMITS.rules,
      examples: [
        [
          {
            id: 'no-production-writes',
            hide: ['tools'],
            when: {
              and: [
                { '===': [{ var: 'concerns.environment' }, 'production'] },
                { '===': [{ var: 'primitive.annotations.readOnlyHint' }, false] },
              ],
            },
          },
        ],
      ],
      items: {
        type: 'object',
        required: ['id', 'when'],
        additionalProperties: false,
        properties: {
          id: {
            description: 'The name of the rule. Reasons, logs and tests use it.',
            type: 'string',
            pattern: NAME,
            examples: ['no-production-writes'],
          },
          hide: ruleKinds('hides. Hiding wins over showing'),
          show: ruleKinds('shows, whatever the concerns of the host are'),
          when: {
            description:
              'A JSON Logic condition. It can read `concerns`, `primitive`, `claims`, `caller.scopes`, `client.capabilities`, `client.name`, `client.title`, `client.version` and `protocol.era`.',
            examples: [{ '===': [{ var: 'concerns.environment' }, 'production'] }],
          },
          reason: anyText(
            'One sentence for users that gives the reason.',
            'Destructive tools are hidden in production',
          ),
        },
      },
    },
    settings: {
      description: 'How the policy is applied.',
      type: 'object',
      additionalProperties: false,
      examples: [{ unmapped: 'hide' }],
      properties: {
        unmapped: choice(
          'Whether primitives that the policy does not map are shown (default) or hidden.',
          ['show', 'hide'],
          'hide',
        ),
        defaults: choice(
          'When the defaults of concerns apply: `aware` (default) once a host has set any concern, `always`, or `never`.',
          ['aware', 'always', 'never'],
          'always',
        ),
        invalid: choice(
          'What happens if a host sends a value that is not in `values`: `error` (default) rejects it, `ignore` ignores it, `clamp` uses the nearest bound of a range.',
          ['error', 'ignore', 'clamp'],
          'ignore',
        ),
        enforcement: choice(
          '`advisory` (default) filters lists. `enforce` also rejects requests for hidden primitives. `shadow` does not filter lists and logs what it would hide.',
          ['advisory', 'enforce', 'shadow'],
          'shadow',
        ),
        methods: {
          description:
            'Methods that pass under `enforce` although nothing filters them: names, or patterns in which `*` matches any number of characters. By default, methods that the gate does not know are refused.',
          type: 'array',
          maxItems: LIMITS.methods,
          uniqueItems: true,
          items: { type: 'string', minLength: 1, maxLength: LIMITS.patternLength },
          examples: [['vendor/status', 'vendor/jobs/*']],
        },
        groups: {
          description:
            'Extensions that put their name in front of `groups/list` and `groups/get`. These methods are always filtered; with this setting, also `EXTENSION/groups/list` and `EXTENSION/groups/get`.',
          type: 'array',
          maxItems: LIMITS.methods,
          uniqueItems: true,
          items: { type: 'string', minLength: 1, maxLength: LIMITS.patternLength },
          examples: [['com.example/catalog']],
        },
        'page-size': {
          description:
            'The number of primitives on one page of a list. By default a list is one page, unless it does not fit into one response.',
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          examples: [100],
        },
        'name-filters': flag(
          'Whether hosts may also filter tools by name, as other servers let them: `?tools=a,b*` and `?exclude=` in the URL, `X-MCP-Tools` and `X-MCP-Exclude-Tools` in headers. Defaults to false.',
        ),
        changed: choice(
          'What happens to primitives whose definition is not the one that `mcp-concerns pin` pinned: `show` shows them, `warn` also logs them, `hide` hides them until they are pinned. Defaults to `hide` under `enforcement: enforce`, otherwise to `warn`. Without a lock file, nothing is pinned.',
          ['show', 'warn', 'hide'],
          'hide',
        ),
        lists: choice(
          'Whether lists follow the preferences of a session (`filter`, default), or depend only on the URL, the authorization and the policy (`stable`): then preferences decide what calls may do, and a call of a tool that they hide answers why.',
          ['filter', 'stable'],
          'stable',
        ),
        panel: choice(
          'Whether people can switch preferences inside a conversation: `on` adds the tool `concerns` and a prompt for each preset to the lists; `narrow` adds the same, but nothing inside the conversation can show more; `read-only` adds only the tool, which then shows what is in effect. `off` (default) adds nothing.',
          ['off', 'read-only', 'narrow', 'on'],
          'on',
        ),
        'panel-prefix': {
          description:
            'With what the names begin that `panel` reserves, if the server has one of them: the tool, the prompts `NAME-*` and the pages `ui://NAME/`. Defaults to `concerns`.',
          type: 'string',
          pattern: '^[a-z][a-z0-9_]{0,31}$',
          examples: ['show'],
        },
        tasks: choice(
          'Which clients of protocol 2026-07-28 see tools that can only be called as tasks: `require-capability` (default), those that declare the Tasks extension; `show`, all.',
          ['require-capability', 'show'],
          'show',
        ),
        texts: choice(
          'Whether `enforce` removes names of hidden primitives from the descriptions, titles and schemas of visible ones (`redact`, default), or keeps these as the server wrote them (`keep`).',
          ['redact', 'keep'],
          'keep',
        ),
        transparency: flag('Whether each listed primitive carries its values in `_meta.concerns`.'),
      },
    },
  },
} as const;

/** The data of a policy file that fits the schema. */
export type { PolicyDocument } from './generated/policy-document.js';
