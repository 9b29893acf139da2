const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description }) as const;

/** A kind of server, with the key that only it has. */
const kind = <const Key extends string, const Properties extends object>(
  description: string,
  key: Key,
  properties: Properties,
) => ({ type: 'object', description, required: [key], additionalProperties: false, properties }) as const;

const silence = {
  type: 'integer',
  minimum: 1,
  maximum: 86_400,
  description:
    'Seconds that the server may send nothing while a request waits. Then it is replaced, unless it answers a ping. Defaults to 25.',
} as const;

const protocol = {
  enum: ['auto', '2026-07-28', '2025-11-25'],
  description: "The protocol version that is spoken to the server. Defaults to `auto`: the server's own.",
} as const;

const own = kind('Your own server.', 'module', {
  module: text('A module or package. Its default export, or createServer, makes a new server.'),
  sdk: {
    enum: [1, 2],
    description: 'The major version of the MCP SDK that the server uses. Defaults to 1.',
  },
  tasks: {
    enum: ['plain'],
    description:
      'For a server with tasks and a service without a worker: tools with `support: optional` run as plain calls, others are left out.',
  },
});

const child = kind('A stdio server from an npm package that is installed in this project.', 'package', {
  package: text('The name of the package. Its bin is started with Node.js.'),
  arguments: texts('The arguments of its command line.'),
  environment: texts('The environment variables of the function that the process gets.'),
  isolation: {
    enum: ['shared', 'per-session', 'per-request'],
    description:
      'Who shares a process. `shared`: all hosts. `per-session`: one process for each session in each environment of the function. `per-request`: one process for each request. Defaults to `shared`.',
  },
  silence,
  protocol,
});

const remote = kind('A remote server over Streamable HTTP. All hosts share one connection.', 'url', {
  url: { type: 'string', pattern: '^https?://', description: 'The URL of the server.' },
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Headers that the server needs, each with the name of the environment variable that has its value.',
  },
  silence,
  protocol,
});

/** The key that each kind of server has, in the order of the schema. */
export const SERVER_KINDS = ['module', 'package', 'url'] as const;

/** The JSON Schema of `custom.endpoint` in `serverless.yml` and of `endpoint.yml`, which configures what the function serves. */
export const endpointSchema = {
  type: 'object',
  required: ['policy'],
  additionalProperties: false,
  properties: {
    policy: {
      anyOf: [
        text('A policy file, or a folder of policy files.'),
        { type: 'array', items: { type: 'string' }, minItems: 1 },
      ],
    },
    server: { anyOf: [own, child, remote] },
    servers: {
      type: 'object',
      propertyNames: { pattern: '^(?=.{1,24}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$' },
      additionalProperties: { anyOf: [child, remote] },
      description:
        'Several servers as one endpoint, in place of `server`. Each name begins with the key of its server: `files__read_file`.',
    },
    preferences: {
      enum: ['principal'],
      description:
        'Keeps what a person chooses for the verified caller (the claims `iss` and `sub`), for all of its requests. By default, preferences are kept only for a session.',
    },
    secrets: {
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^(ssm:[^#]+|secretsmanager:.+)$' },
      description:
        'Variables of the function that are read from AWS when it starts, each with its place: `ssm:NAME`, `secretsmanager:NAME`, or `secretsmanager:NAME#KEY` for one member of a secret in JSON.',
    },
    catalog: {
      enum: ['static', 'snapshot'],
      description:
        'Your promise that the lists of the server do not depend on the request. `static` lists the server once per environment, `snapshot` lists it when the function is packaged.',
    },
  },
} as const;

export type { Endpoint } from './generated/endpoint.js';
