import { didYouMean } from '../engine/match/did-you-mean.js';
import { type ErrorClass, errorClass } from '../errors.js';
import { VERIFIED_TOKENS, type VerifiedToken } from './claims.js';
import { POLICY_URL_FORMS, type PolicyUrl, parsePolicyUrl } from './remote-policy/policy-url.js';

/** The settings that an operator makes in the environment of a deployed function. */
export interface FunctionSettings {
  readonly sessions: 'dynamodb' | 'memory' | 'none';
  /** The name of the table; empty if there is none. */
  readonly table: string;
  readonly expiresAfterSeconds?: number;
  /** Without a `/` at their ends. */
  readonly origins: readonly string[];
  /** Issuers of the tokens that callers need. If empty, anyone may call. */
  readonly issuers: readonly string[];
  readonly resource?: string;
  readonly scopes: readonly string[];
  readonly response: 'buffered' | 'stream';
  /** Whether AWS verifies callers before the function runs. */
  readonly authorizer: 'none' | 'gateway';
  /** Where the token is that the authorizer verified. */
  readonly verifiedToken: VerifiedToken;
  /** Empty if there is none: then the log has no `caller`. */
  readonly logSalt: string;
  readonly sessionSecret: string | undefined;
  /** The namespace of the metrics in CloudWatch. Without it, no metrics are written. */
  readonly metrics?: string;
  /** The policy outside the function, which replaces the packaged one. */
  readonly policy?: { readonly url: PolicyUrl; readonly maxAgeSeconds: number; readonly required: boolean };
}

/**
 * A server may get the header `Authorization` of hosts only where it is not for the endpoint itself: a token that was made out to
 * the endpoint is never passed on (MCP, "Token Passthrough").
 *
 * @returns what the settings say against it; `undefined` if nothing
 */
export function forwardingProblem({
  issuers,
  authorizer,
  verifiedToken,
}: Pick<FunctionSettings, 'authorizer' | 'verifiedToken'> & { readonly issuers: readonly unknown[] }):
  | string
  | undefined {
  const needs = [
    ...(issuers.length === 0 ? [] : ['MCP_CONCERNS_ISSUERS']),
    ...(authorizer === 'none' ? [] : ['MCP_CONCERNS_AUTHORIZER']),
    ...(verifiedToken === 'none' ? [] : ['MCP_CONCERNS_TOKEN']),
  ];
  if (needs.length === 0) return undefined;
  return `A server gets the header Authorization of hosts ("forward" in endpoint.yml) only where the endpoint does not need it. Remove ${needs.join(' and ')}, or "forward".`;
}

const SettingsErrorBase: ErrorClass<'SettingsError', 'SETTINGS_INVALID'> = errorClass(
  'SettingsError',
  'SETTINGS_INVALID',
);

/** Environment variables of the function are not valid. */
export class SettingsError extends SettingsErrorBase {}

/**
 * Reads all settings of a function. An empty variable counts as unset, because a template cannot always leave it out.
 *
 * | variable | meaning |
 * |---|---|
 * | `MCP_CONCERNS_SESSIONS` | `dynamodb`, `memory` or `none`; defaults to `dynamodb` if a table is set, else to `memory` |
 * | `MCP_CONCERNS_TABLE` | the name of the table |
 * | `MCP_CONCERNS_SESSION_SECONDS` | seconds after its last use until a session expires |
 * | `MCP_CONCERNS_ORIGINS` | origins of the web pages that may use the endpoint, separated by commas; `*` for all |
 * | `MCP_CONCERNS_ISSUERS` | issuers of tokens, separated by commas; if set, callers need a token |
 * | `MCP_CONCERNS_RESOURCE` | the public URL of the endpoint; defaults to the URL of the request |
 * | `MCP_CONCERNS_SCOPES` | scopes that hosts request when they log in, separated by spaces |
 * | `MCP_CONCERNS_RESPONSE` | `buffered` (the default), or `stream` on a function URL or REST API that streams |
 * | `MCP_CONCERNS_AUTHORIZER` | `gateway` if AWS verifies callers before a streaming function runs: IAM, a Lambda authorizer, Cognito |
 * | `MCP_CONCERNS_TOKEN` | `authorization` if the authorizer verifies the token in the header `Authorization`; `none` (the default) if not, or if nobody knows |
 * | `MCP_CONCERNS_LOG_SALT` | a random text that nobody else knows; without it, the log has no `caller` |
 * | `MCP_CONCERNS_SESSION_SECRET` | a random text that nobody else knows, which seals preferences into session ids; without it, only the environment that made an id can open its seal |
 * | `MCP_CONCERNS_METRICS` | the namespace of metrics in CloudWatch; no metrics if unset |
 * | `MCP_CONCERNS_POLICY` | the URL of a policy that replaces the packaged one: `ssm:/NAME`, `s3://BUCKET/KEY` or `appconfig:APPLICATION/ENVIRONMENT/PROFILE`, followed by `#DIGEST` to accept no other policy |
 * | `MCP_CONCERNS_POLICY_SECONDS` | seconds until the policy at that URL is read again; defaults to 60 |
 *
 * @param env the environment, `process.env`
 * @returns the settings
 * @throws {SettingsError} if a variable is not valid; the message names every such variable
 * @example
 * readSettings({ MCP_CONCERNS_TABLE: 'sessions' }).sessions; // 'dynamodb'
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): FunctionSettings {
  const problems: string[] = [];
  const text = (name: string): string => env[`MCP_CONCERNS_${name}`]?.trim() ?? '';
  const list = (name: string, separator: RegExp): string[] =>
    text(name)
      .split(separator)
      .filter((part) => part !== '');
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const found = text(name) === '' ? fallback : values.find((value) => value === text(name));
    if (found === undefined) {
      const problem = `"${text(name)}" is not a valid value for MCP_CONCERNS_${name} (${values.join(', ')}).`;
      problems.push(`${problem}${didYouMean(text(name), values)}`);
    }
    return found ?? fallback;
  };
  const urls = (name: string, values: readonly string[], what: string): void => {
    const wrong = values.filter((value) => value !== '*' && !/^https?:\/\//.test(value));
    if (wrong.length > 0)
      problems.push(`MCP_CONCERNS_${name} must contain ${what}, not ${wrong.join(', ')}.`);
  };

  const table = text('TABLE');
  const sessions = oneOf('SESSIONS', ['dynamodb', 'memory', 'none'], table === '' ? 'memory' : 'dynamodb');
  if (sessions === 'dynamodb' && table === '')
    problems.push('MCP_CONCERNS_TABLE must name the table for sessions.');
  const secondsOf = (name: string, example: number): number | undefined => {
    if (!/^([1-9]\d*)?$/.test(text(name)))
      problems.push(`MCP_CONCERNS_${name} must be a number of seconds, for example ${example}.`);
    return text(name) === '' ? undefined : Number(text(name));
  };
  const seconds = secondsOf('SESSION_SECONDS', 86400);
  const origins = list('ORIGINS', /\s*,\s*/);
  urls('ORIGINS', origins, 'origins like https://host.example');
  const issuers = list('ISSUERS', /\s*,\s*/);
  urls('ISSUERS', issuers, 'URLs of issuers');
  const resource = text('RESOURCE');
  urls('RESOURCE', resource === '' ? [] : [resource], 'the URL of the endpoint');
  const response = oneOf('RESPONSE', ['buffered', 'stream'], 'buffered');
  const authorizer = oneOf('AUTHORIZER', ['none', 'gateway'], 'none');
  const verifiedToken = oneOf('TOKEN', VERIFIED_TOKENS, 'none');
  const maxAgeSeconds = secondsOf('POLICY_SECONDS', 60) ?? 60;
  const required = oneOf('POLICY_REQUIRED', ['false', 'true'], 'false') === 'true';
  const url = text('POLICY') === '' ? undefined : parsePolicyUrl(text('POLICY'));
  if (url === undefined && text('POLICY') !== '') {
    problems.push(
      `"${text('POLICY')}" is not a valid value for MCP_CONCERNS_POLICY (${POLICY_URL_FORMS}, and #DIGEST after it).`,
    );
  }
  const metrics = text('METRICS');
  if (!/^[A-Za-z0-9_.\-#:/ ]{0,255}$/.test(metrics) || metrics.startsWith('AWS/')) {
    problems.push(
      'MCP_CONCERNS_METRICS must be a namespace of CloudWatch: letters, digits and _.-#:/, and not AWS/ at its start.',
    );
  }
  if (problems.length > 0) throw new SettingsError(problems.join(' '));

  return {
    sessions,
    table,
    ...(seconds === undefined ? {} : { expiresAfterSeconds: seconds }),
    origins: origins.map((origin) => origin.replace(/\/$/, '')),
    issuers,
    ...(resource === '' ? {} : { resource }),
    scopes: list('SCOPES', /\s+/),
    response,
    authorizer,
    verifiedToken,
    logSalt: text('LOG_SALT'),
    sessionSecret: text('SESSION_SECRET') || undefined,
    ...(metrics === '' ? {} : { metrics }),
    ...(url === undefined ? {} : { policy: { url, maxAgeSeconds, required } }),
  };
}
