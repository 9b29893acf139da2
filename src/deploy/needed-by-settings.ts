import type { PolicyUrl } from '../lambda/remote-policy/policy-url.js';
import type { FunctionSettings } from '../lambda/settings.js';

/** Where a policy can be, and what a function needs to read it. */
const POLICY_NEEDS = {
  ssm: {
    packages: ['@aws-lambda-powertools/parameters', '@aws-sdk/client-ssm'],
    actions: ['ssm:GetParameter'],
  },
  s3: { packages: ['@aws-sdk/client-s3'], actions: ['s3:GetObject'] },
  appconfig: {
    packages: ['@aws-lambda-powertools/parameters', '@aws-sdk/client-appconfigdata'],
    actions: ['appconfig:StartConfigurationSession', 'appconfig:GetLatestConfiguration'],
  },
} as const satisfies Record<PolicyUrl['in'], object>;

/** What the store of sessions does with its table. */
const TABLE_ACTIONS = ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:PutItem'];

type NeedingSettings = Pick<FunctionSettings, 'metrics' | 'policy' | 'sessions'>;

/**
 * Lists the packages that a function needs only because of its settings.
 *
 * @param settings the settings of the function
 * @returns the names of the packages
 * @example
 * packagesOfSettings(readSettings({ MCP_CONCERNS_METRICS: 'Vault' })); // ['@aws-lambda-powertools/metrics']
 */
export function packagesOfSettings({ metrics, policy, sessions }: NeedingSettings): string[] {
  return [
    ...(sessions.in === 'dynamodb' ? ['@aws-sdk/client-dynamodb'] : []),
    ...(metrics === undefined ? [] : ['@aws-lambda-powertools/metrics']),
    ...(policy === undefined ? [] : POLICY_NEEDS[policy.url.in].packages),
  ];
}

/**
 * Finds what the role of a function does not allow although its settings need it.
 *
 * @param settings the settings of the function
 * @param statements the statements of its role in `serverless.yml`
 * @returns one sentence for each place that the function could not use
 * @example
 * missingPermissions(readSettings({ MCP_CONCERNS_POLICY: 'ssm:/vault/policy' }), []).length; // 1
 */
export function missingPermissions(
  { policy, sessions }: NeedingSettings,
  statements: readonly unknown[],
): string[] {
  const lacking = (actions: readonly string[], place: string | undefined): string =>
    actions.filter((action) => !statements.some((each) => allows(each, action, place))).join(', ');
  const problem = (setting: string, actions: string, on: string): string[] =>
    actions === ''
      ? []
      : [
          `${setting}, but the role of the function does not allow ${actions}. Add it to provider.iam.role.statements, for ${on}.`,
        ];
  const table = sessions.in === 'dynamodb' ? lacking(TABLE_ACTIONS, undefined) : '';
  const url = policy?.url;
  const reading = url === undefined ? '' : lacking(POLICY_NEEDS[url.in].actions, placeOf(url));
  return [
    ...problem('MCP_CONCERNS_SESSIONS is dynamodb', table, 'the table of the sessions'),
    ...problem(`MCP_CONCERNS_POLICY is ${url?.text}`, reading, url === undefined ? '' : arnOf(url)),
  ];
}

/** @returns the last part of the ARN of a policy; of AppConfig it has ids instead of names, so it is not known */
function placeOf(url: PolicyUrl): string | undefined {
  if (url.in === 'ssm') return `parameter/${url.name.replace(/^\//, '')}`;
  return url.in === 's3' ? `${url.bucket}/${url.key}` : undefined;
}

function arnOf(url: PolicyUrl): string {
  const place = placeOf(url);
  if (url.in === 's3') return `arn:aws:s3:::${place}`;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of serverless.yml
  const region = '${aws:region}:${aws:accountId}';
  return url.in === 'ssm' ? `arn:aws:ssm:${region}:${place}` : `arn:aws:appconfig:${region}:application/*`;
}

/** Whether a statement allows an action. Parts that only CloudFormation knows count as allowed. */
function allows(statement: unknown, action: string, place: string | undefined): boolean {
  const parts = new Map<string, unknown>(Object.entries(statement ?? {}));
  if (parts.get('Effect') !== 'Allow') return false;
  const texts = (name: string): readonly unknown[] => [parts.get(name) ?? []].flat();
  const isAction = parts.has('NotAction') || texts('Action').some((each) => matches(each, action));
  const isPlace =
    place === undefined ||
    parts.has('NotResource') ||
    texts('Resource').some((each) => matches(lastPart(each), place));
  return isAction && isPlace;
}

/** `arn:partition:service:region:account:rest`, of which only the rest names the place. */
const lastPart = (resource: unknown): unknown =>
  typeof resource === 'string' && resource.startsWith('arn:')
    ? resource.split(':').slice(5).join(':')
    : resource;

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html#reference_policies_elements_resource_wildcards */
function matches(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string' || pattern.includes('${')) return true;
  const expression = pattern
    .replace(/[.+^$()[\]{}|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 'i').test(text);
}
