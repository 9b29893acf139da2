import type { FunctionSettings } from '../core/lambda/settings.js';
import { POLICY_PACKAGES } from './generated/secrets.js';

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
