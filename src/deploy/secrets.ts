import type { Endpoint } from './generated/endpoint-schema.js';

type Secrets = Endpoint['secrets'];

/** Where secrets can be. */
interface SecretService {
  readonly service: 'ssm' | 'secretsmanager';
  /** The package of its client. */
  readonly client: string;
  readonly action: string;
  /** Of its ARN, in which NAME stands for the name of a secret. */
  readonly resource: string;
}

const SERVICES: readonly SecretService[] = [
  {
    service: 'ssm',
    client: '@aws-sdk/client-ssm',
    action: 'ssm:GetParameter',
    resource: 'parameter/NAME',
  },
  {
    service: 'secretsmanager',
    client: '@aws-sdk/client-secrets-manager',
    action: 'secretsmanager:GetSecretValue',
    // AWS adds six random characters to the name of a secret.
    resource: 'secret:NAME-??????',
  },
];

interface UsedService extends SecretService {
  /** The names of the secrets that it keeps. */
  readonly names: readonly string[];
}

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

/** What is filled in for secrets: where the value of each variable is, and which services have them. */
export interface SecretValues {
  readonly secrets: Readonly<Record<string, string>>;
  readonly readsSsm: boolean;
  readonly readsSecretsManager: boolean;
}

/** @returns what is filled in to read the secrets. Only the clients that are needed become part of the bundle. */
export function secretValues(secrets: Secrets = {}): SecretValues {
  const services = usedServices(secrets).map(({ service }) => service);
  return {
    secrets,
    readsSsm: services.includes('ssm'),
    readsSecretsManager: services.includes('secretsmanager'),
  };
}

/** @returns the services that have secrets, each with the names of its secrets */
function usedServices(secrets: Secrets = {}): readonly UsedService[] {
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
