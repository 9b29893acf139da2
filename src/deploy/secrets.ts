import type { Endpoint } from './generated/endpoint-schema.js';

type Secrets = Endpoint['secrets'];

/** Where secrets can be, and how a function reads them. */
interface SecretService {
  readonly service: string;
  /** The package of its client. */
  readonly client: string;
  readonly action: string;
  /** Of its ARN, in which NAME stands for the name of a secret. */
  readonly resource: string;
  /** The lines that import and call its reader. */
  readonly imported: string;
  readonly reader: string;
}

const SERVICES: readonly SecretService[] = [
  {
    service: 'ssm',
    client: '@aws-sdk/client-ssm',
    action: 'ssm:GetParameter',
    resource: 'parameter/NAME',
    imported: "import { getParameter } from '@aws-lambda-powertools/parameters/ssm';",
    reader: 'ssm: (name) => getParameter(name, { decrypt: true }),',
  },
  {
    service: 'secretsmanager',
    client: '@aws-sdk/client-secrets-manager',
    action: 'secretsmanager:GetSecretValue',
    // AWS adds six random characters to the name of a secret.
    resource: 'secret:NAME-??????',
    imported: "import { getSecret } from '@aws-lambda-powertools/parameters/secrets';",
    reader: 'secretsmanager: (name) => getSecret(name),',
  },
];

/** A statement of an IAM policy. */
export interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly unknown[];
}

/**
 * Lists what the role of a function must be allowed to read: its secrets, and the policy outside it. AppConfig has ids in its
 * ARNs, which the URL of a policy does not tell.
 *
 * @param secrets the section `secrets` of the endpoint
 * @param policyUrl the value of `MCP_CONCERNS_POLICY`
 * @returns one statement per service, each for only these places
 * @example
 * readingStatements({ API_KEY: 'ssm:/mcp/api-key' }, '')[0].Action; // ['ssm:GetParameter']
 */
export function readingStatements(secrets: Secrets, policyUrl: unknown): Statement[] {
  const url = typeof policyUrl === 'string' ? policyUrl : '';
  const services = usedServices({ ...secrets, 'the policy': url }).map(
    ({ service, action, resource, names }): Statement => ({
      Effect: 'Allow',
      Action: [action],
      Resource: names.map((name) => arnOf(service, resource, name)),
    }),
  );
  const [, object] = /^s3:\/\/([^#]+)/.exec(url) ?? [];
  if (object === undefined) return services;
  const Resource = [{ 'Fn::Sub': `arn:\${AWS::Partition}:s3:::${object}` }];
  return [...services, { Effect: 'Allow', Action: ['s3:GetObject'], Resource }];
}

/** @returns the packages that a function needs to read its secrets */
export function secretPackages(secrets: Secrets): string[] {
  const clients = usedServices(secrets).map(({ client }) => client);
  return clients.length === 0 ? [] : ['@aws-lambda-powertools/parameters', ...clients];
}

/**
 * Writes the lines that read the secrets. Everything after these lines sees the variables. Only the clients that are needed
 * become part of the bundle.
 */
export function secretLines(secrets: Secrets): string {
  const used = usedServices(secrets);
  if (used.length === 0) return '';
  return [
    `import { loadSecrets } from 'mcp-concerns/lambda';`,
    ...used.map(({ imported }) => imported),
    `await loadSecrets(${JSON.stringify(secrets)}, { ${used.map(({ reader }) => reader).join(' ')} });`,
  ].join('\n');
}

/** @returns the services that have secrets, each with the names of its secrets */
function usedServices(secrets: Secrets = {}) {
  const sources = Object.values(secrets).map((source) => /^(\w+):([^#]+)/.exec(source) ?? []);
  return SERVICES.flatMap((each) => {
    const names = sources.flatMap(([, service, name = '']) => (service === each.service ? [name] : []));
    return names.length === 0 ? [] : [{ ...each, names: [...new Set(names)] }];
  });
}

function arnOf(service: string, resource: string, name: string): string | object {
  if (service === 'secretsmanager' && name.startsWith('arn:')) return name;
  // The name of a parameter may begin with the slash that is before it.
  const own = resource.replace('NAME', () => name).replace(/^parameter\/\//, 'parameter/');
  return { 'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${own}` };
}
