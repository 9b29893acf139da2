import type { PolicyUrl } from '../core/lambda/remote-policy/policy-url.js';
import type { FunctionSettings } from '../core/lambda/settings.js';

/** The packages that read a policy outside the function, by its place. */
const POLICY_PACKAGES: Readonly<Record<PolicyUrl['in'], readonly string[]>> = {
  ssm: ['@aws-lambda-powertools/parameters', '@aws-sdk/client-ssm'],
  s3: ['@aws-sdk/client-s3'],
  appconfig: ['@aws-lambda-powertools/parameters', '@aws-sdk/client-appconfigdata'],
};

/**
 * Lists the packages that a function needs only because of its settings.
 *
 * @param settings the settings of the function
 * @returns the names of the packages
 * @example
 * packagesOfSettings(readSettings({ MCP_CONCERNS_METRICS: 'Vault' })); // ['@aws-lambda-powertools/metrics']
 */
export function packagesOfSettings({ metrics, policy, sessions }: FunctionSettings): string[] {
  return [
    ...(sessions === 'dynamodb' ? ['@aws-sdk/client-dynamodb'] : []),
    ...(metrics === undefined ? [] : ['@aws-lambda-powertools/metrics']),
    ...(policy === undefined ? [] : POLICY_PACKAGES[policy.url.in]),
  ];
}
