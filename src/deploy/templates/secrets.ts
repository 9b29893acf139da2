import { loadSecrets } from 'mcp-concerns/lambda';
import type { SecretValues } from '../secrets.js';

declare const MCP_CONCERNS_FUNCTION: SecretValues;

// What is imported after this module sees the variables. A client that is not needed does not become part of the bundle.
const ssm = MCP_CONCERNS_FUNCTION.readsSsm
  ? await import('@aws-lambda-powertools/parameters/ssm')
  : undefined;
const secretsManager = MCP_CONCERNS_FUNCTION.readsSecretsManager
  ? await import('@aws-lambda-powertools/parameters/secrets')
  : undefined;

if (MCP_CONCERNS_FUNCTION.readsSsm || MCP_CONCERNS_FUNCTION.readsSecretsManager) {
  await loadSecrets(MCP_CONCERNS_FUNCTION.secrets, {
    ...(ssm && { ssm: (name) => ssm.getParameter(name, { decrypt: true }) }),
    ...(secretsManager && { secretsmanager: (name) => secretsManager.getSecret(name) }),
  });
}
