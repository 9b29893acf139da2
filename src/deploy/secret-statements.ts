import type { Endpoint } from './endpoint.js';

/** A statement of an IAM policy. */
export interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly unknown[];
}

/**
 * Lists what the role of a function must be allowed to read its secrets.
 *
 * @param secrets the section `secrets` of the endpoint
 * @returns one statement per service, each for only these secrets
 * @example
 * secretStatements({ API_KEY: 'ssm:/mcp/api-key' })[0].Action; // ['ssm:GetParameter']
 */
export function secretStatements(secrets: Endpoint['secrets'] = {}): Statement[] {
  const sources = Object.values(secrets).map((source) => /^(ssm|secretsmanager):([^#]+)/.exec(source) ?? []);
  const namesOf = (service: string) => [
    ...new Set(sources.flatMap(([, found, name]) => (found === service && name !== undefined ? [name] : []))),
  ];
  const parameters = namesOf('ssm').map((name) => arn('ssm', `parameter/${name.replace(/^\//, '')}`));
  // AWS adds six random characters to the name of a secret.
  const secretArns = namesOf('secretsmanager').map((name) =>
    name.startsWith('arn:') ? name : arn('secretsmanager', `secret:${name}-??????`),
  );
  return [
    ...statement('ssm:GetParameter', parameters),
    ...statement('secretsmanager:GetSecretValue', secretArns),
  ];
}

/** @returns the packages that a function needs to read its secrets */
export function secretPackages(secrets: Endpoint['secrets'] = {}): string[] {
  const sources = Object.values(secrets);
  const ssm = sources.some((source) => source.startsWith('ssm:'));
  const manager = sources.some((source) => source.startsWith('secretsmanager:'));
  return [
    ...(ssm || manager ? ['@aws-lambda-powertools/parameters'] : []),
    ...(ssm ? ['@aws-sdk/client-ssm'] : []),
    ...(manager ? ['@aws-sdk/client-secrets-manager'] : []),
  ];
}

const statement = (action: string, on: readonly unknown[]): Statement[] =>
  on.length === 0 ? [] : [{ Effect: 'Allow', Action: [action], Resource: on }];

const arn = (service: string, resource: string): object => ({
  'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`,
});
