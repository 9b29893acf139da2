import type { WholeTestFile } from './generated/test-file-document.js';

/** One text, or a list of them. */
const texts = (what: string, ...examples: readonly (string | readonly string[])[]) =>
  ({
    description: what,
    type: ['string', 'array'],
    minLength: 1,
    items: { type: 'string', minLength: 1 },
    examples,
  }) as const;

const expectation = (what: string, example: string) =>
  ({
    description: `What the host has to see of the ${what}.`,
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ includes: [example] }, { only: [example] }, { count: 1 }],
    properties: {
      includes: texts('These are shown.', [example]),
      excludes: texts('These are hidden.', [example]),
      only: texts('These are shown, and nothing else.', [example]),
      count: {
        description: 'How many are shown.',
        type: 'integer',
        minimum: 0,
        examples: [12],
      },
    },
  }) as const;

/** The JSON Schema of a file of policy tests: the one place where its shape is written. */
export const testFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'mcp-concerns policy tests',
  description: 'Says what hosts have to see under a policy; "mcp-concerns test" runs it.',
  type: 'object',
  required: ['policy', 'tests'],
  oneOf: [{ required: ['catalog'] }, { required: ['server'] }],
  additionalProperties: false,
  properties: {
    policy: {
      ...texts(
        'The policy that is tested, or several that are merged, relative to this file.',
        'vault.yaml',
        ['common.yaml', 'vault.yaml'],
      ),
      minItems: 1,
    },
    catalog: {
      description: 'What the server lists, as "mcp-concerns snapshot" writes it, relative to this file.',
      type: 'string',
      minLength: 1,
      examples: ['vault.catalog.json'],
    },
    server: {
      ...texts(
        'The command of a server over stdio, as text or as a list; it starts in the working directory.',
        'npx @playwright/mcp',
        ['node', 'server.js'],
      ),
      minItems: 1,
    },
    tests: {
      description: 'The tests, in the order of the report.',
      type: 'array',
      minItems: 1,
      examples: [[{ name: 'a safe host encrypts', concerns: 'safe', tools: { includes: ['encryptData'] } }]],
      items: {
        type: 'object',
        required: ['name'],
        anyOf: [
          { required: ['tools'] },
          { required: ['prompts'] },
          { required: ['resources'] },
          { required: ['resourceTemplates'] },
        ],
        additionalProperties: false,
        properties: {
          name: {
            description: 'One sentence for the report; no other test of the file has it.',
            type: 'string',
            minLength: 1,
            examples: ['high security at minimal cost'],
          },
          concerns: {
            description:
              'What the host asks for, by concern; or the name of a preset; or `none`, a host that never spoke of concerns.',
            type: ['string', 'object'],
            examples: [{ security: 'high', cost: 'minimal' }, 'safe', 'none'],
          },
          claims: {
            description: 'Verified claims of the caller, for operator concerns and rules that read them.',
            type: 'object',
            examples: [{ tier: 'pro', groups: ['staff'] }],
          },
          client: {
            description: 'What is known of the client; left out, nothing is.',
            type: 'object',
            additionalProperties: false,
            examples: [{ capabilities: { sampling: {} } }],
            properties: {
              capabilities: {
                description: 'What the client said that it can do.',
                type: 'object',
                examples: [{ sampling: {} }],
              },
            },
          },
          tools: expectation('tools', 'encryptData'),
          prompts: expectation('prompts', 'reviewAccess'),
          resources: expectation('resources', 'vault://audit'),
          resourceTemplates: expectation('resource templates', 'vault://keys/{id}'),
        },
      },
    },
  },
} as const;

type WholeTest = WholeTestFile['tests'][number];

/** A test as YAML gives it, once it fits the schema, but for what it lacks. */
export type TestDocument = Partial<WholeTest>;
/** A file of tests, the same way. */
export type TestFileDocument = Partial<Omit<WholeTestFile, 'tests'>> & {
  readonly tests?: readonly TestDocument[];
};
