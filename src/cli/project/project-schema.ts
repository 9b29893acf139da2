import { choice, text } from '../../policy/language/schema.js';

const paths = (description: string, ...examples: readonly (string | readonly string[])[]) =>
  ({
    description,
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    items: { type: 'string', minLength: 1 },
    examples,
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
    catalog: text(
      'The catalog file of the server, as "mcp-concerns snapshot" writes it.',
      'policies/vault.catalog.json',
    ),
    server: paths(
      'The command of a stdio server, as text or as a list. It runs in the working folder.',
      'npx -y @playwright/mcp',
      ['node', 'server.js'],
    ),
    url: text('The URL of a server over Streamable HTTP.', 'http://127.0.0.1:3000/mcp'),
    servers: text(
      "Several servers as one: a host's file, such as `.mcp.servers.json`, as `--servers` takes it.",
      '.mcp.servers.json',
    ),
    protocol: choice(
      "The protocol version that is spoken to the server. `auto` is the server's own.",
      ['auto', '2026-07-28', '2025-11-25'],
      'auto',
    ),
    tests: paths('Test files, or folders of test files, for "mcp-concerns test".', 'policies', [
      'policies/vault.test.yaml',
    ]),
  },
} as const;
