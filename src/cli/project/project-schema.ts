const path = (description: string, example: string) =>
  ({ description, type: 'string', minLength: 1, examples: [example] }) as const;

const paths = (description: string, ...examples: readonly (string | readonly string[])[]) =>
  ({
    description,
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    items: { type: 'string', minLength: 1 },
    examples,
  }) as const;

const options = (command: string) =>
  ({
    description: `Options of "mcp-concerns ${command}" that apply if the command line does not have them.`,
    type: 'object',
    additionalProperties: {
      description: 'The value of the option. `true` sets an option that has no value.',
      type: ['string', 'number', 'boolean', 'array'],
      items: { type: 'string' },
      examples: [true, 90, 'json'],
    },
    examples: [{ color: 'never' }],
  }) as const;

/** The JSON Schema of a project file. The validator, the type and `policies/config.schema.json` are derived from it. */
export const projectSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'mcp-concerns project',
  description: 'What the commands of mcp-concerns use if the command line does not name it.',
  type: 'object',
  additionalProperties: false,
  properties: {
    policy: paths(
      'The path of the policy: a file or a folder. Several paths are merged into one policy. Paths are relative to this file.',
      'policies/vault.yaml',
      ['common.yaml', 'vault.yaml'],
    ),
    catalog: path(
      'The catalog file of the server, as "mcp-concerns snapshot" writes it.',
      'policies/vault.catalog.json',
    ),
    server: paths(
      'The command of a stdio server, as text or as a list. It runs in the working folder.',
      'npx @playwright/mcp',
      ['node', 'server.js'],
    ),
    url: path('The URL of a server over Streamable HTTP.', 'http://127.0.0.1:8808/mcp'),
    tests: paths('Test files, or folders of test files, for "mcp-concerns test".', 'policies', [
      'policies/vault.test.yaml',
    ]),
    defaults: {
      description: 'Options of commands that apply if the command line does not have them.',
      type: 'object',
      additionalProperties: false,
      properties: {
        check: options('check'),
        test: options('test'),
        list: options('list'),
        explain: options('explain'),
        diff: options('diff'),
        tokens: options('tokens'),
        docs: options('docs'),
        snapshot: options('snapshot'),
        fmt: options('fmt'),
        compile: options('compile'),
        replay: options('replay'),
        serve: options('serve'),
        init: options('init'),
      },
      examples: [{ check: { 'deny-warnings': true } }],
    },
  },
} as const;
