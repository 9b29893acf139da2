import { KINDS } from '../../engine/policy.js';
import { anyText, choice, text } from '../language/schema.js';
import type { WholeTestFile } from './generated/test-file-document.js';

/** The schema of one string, or of a list of strings. */
const texts = (description: string, ...examples: readonly (string | readonly string[])[]) =>
  ({
    description,
    type: ['string', 'array'],
    minLength: 1,
    items: { type: 'string', minLength: 1 },
    examples,
  }) as const;

const expectation = (kind: string, example: string) =>
  ({
    description: `Which ${kind} the host must see.`,
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ includes: [example] }, { only: [example] }, { count: 1 }],
    properties: {
      includes: texts('These must be shown.', [example]),
      excludes: texts('These must be hidden.', [example]),
      only: texts('These must be shown, and all others must be hidden.', [example]),
      count: {
        description: 'How many must be shown.',
        type: 'integer',
        minimum: 0,
        examples: [12],
      },
    },
  }) as const;

/** The JSON Schema of a test file. The validator, the types and `policies/test.schema.json` are derived from it. */
export const testFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'mcp-concerns policy tests',
  description: 'States what hosts must see under a policy. Run it with "mcp-concerns test".',
  type: 'object',
  required: ['policy', 'tests'],
  oneOf: [{ required: ['catalog'] }, { required: ['server'] }],
  additionalProperties: false,
  properties: {
    policy: {
      ...texts(
        'The path of the policy, or of several policies that are merged. Paths are relative to this file.',
        'vault.yaml',
        ['common.yaml', 'vault.yaml'],
      ),
      minItems: 1,
    },
    catalog: {
      description:
        'The path of the catalog that "mcp-concerns snapshot" wrote, relative to this file. For several servers, the catalog of each by its key.',
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: text('The path of the catalog of this server.', 'files.catalog.json'),
      examples: ['vault.catalog.json', { files: 'files.catalog.json', git: 'git.catalog.json' }],
    },
    server: {
      ...texts(
        'The command of a stdio server, as text or as a list. It runs in the working directory.',
        'npx -y @playwright/mcp',
        ['node', 'server.js'],
      ),
      minItems: 1,
    },
    tests: {
      description: 'The tests. The report lists them in this order.',
      type: 'array',
      minItems: 1,
      examples: [
        [
          {
            name: 'the preset safe shows encryption',
            concerns: 'safe',
            tools: { includes: ['encryptData'] },
          },
        ],
      ],
      items: {
        type: 'object',
        required: ['name'],
        anyOf: KINDS.map((kind) => ({ required: [kind] })),
        additionalProperties: false,
        properties: {
          name: text(
            'One sentence for the report. Names must be unique within the file.',
            'high security at minimal cost',
          ),
          concerns: {
            description:
              'The preferences of the host: values by concern, or the name of a preset, or `none` for a host without preferences.',
            type: ['string', 'object'],
            examples: [{ security: 'high', cost: 'minimal' }, 'safe', 'none'],
          },
          claims: {
            description: 'The verified claims of the caller. Operator concerns and rules read them.',
            type: 'object',
            examples: [{ tier: 'pro', groups: ['staff'] }],
          },
          client: {
            description: 'What is known about the client. If it is left out, nothing is known.',
            type: 'object',
            additionalProperties: false,
            examples: [{ capabilities: { sampling: {} } }, { name: 'cursor', version: '1.7' }],
            properties: {
              name: anyText('The name that the client gives itself.', 'cursor'),
              title: anyText('The title that the client gives itself. It counts only with a name.', 'Cursor'),
              version: anyText(
                'The version that the client gives itself. It counts only with a name.',
                '1.7',
              ),
              capabilities: {
                description: 'The capabilities that the client declared.',
                type: 'object',
                examples: [{ sampling: {} }],
              },
            },
          },
          protocol: {
            description:
              'What is known about the protocol of the request. If it is left out, nothing is known.',
            type: 'object',
            additionalProperties: false,
            examples: [{ era: 'modern' }],
            properties: {
              era: choice(
                'The era of MCP: `legacy` (2025-11-25 and before) or `modern` (2026-07-28 and later).',
                ['legacy', 'modern'],
                'modern',
              ),
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

/** A test as it was read from YAML. It fits the schema, except that required keys may be missing. */
export type TestDocument = Partial<WholeTest>;
/** A test file as it was read from YAML. It fits the schema, except that required keys may be missing. */
export type TestFileDocument = Partial<Omit<WholeTestFile, 'tests'>> & {
  readonly tests?: readonly TestDocument[];
};
