const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const own = {
  type: 'object',
  description: 'A server of your own.',
  required: ['module'],
  additionalProperties: false,
  properties: {
    module: text('A module or package; its default export, or createServer, makes a new server.'),
    sdk: { enum: [1, 2], description: 'The generation of the MCP SDK that it is written on; 1 unless told.' },
  },
} as const;

const child = {
  type: 'object',
  description: 'A stdio server from an npm package that is installed here; one process, shared by all hosts.',
  required: ['package'],
  additionalProperties: false,
  properties: {
    package: text('The name of the package; its bin is started with Node.'),
    arguments: { type: 'array', items: { type: 'string' }, description: 'What its command line gets.' },
    environment: {
      type: 'array',
      items: { type: 'string' },
      description: "The function's variables that the process may see.",
    },
  },
} as const;

const remote = {
  type: 'object',
  description: 'A server that others run, over Streamable HTTP; one connection, shared by all hosts.',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: { type: 'string', pattern: '^https?://', description: 'Its address.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: "Headers that it wants, each with the name of the function's variable that has the value.",
    },
  },
} as const;

/** The JSON Schema of `custom.endpoint` in `serverless.yml`: what the function serves. */
export const endpointSchema = {
  type: 'object',
  required: ['policy', 'server'],
  additionalProperties: false,
  properties: {
    policy: {
      anyOf: [
        text('A policy, or a folder of them.'),
        { type: 'array', items: { type: 'string' }, minItems: 1 },
      ],
    },
    server: { anyOf: [own, child, remote] },
    catalog: {
      enum: ['static', 'snapshot'],
      description: "The promise that the server's lists depend on no request: kept once taken, or taken now.",
    },
  },
} as const;

export type { Endpoint } from './generated/endpoint.js';
