import { errorClass } from '../core/errors.js';
import {
  type FunctionSettings,
  forwardingProblem,
  readSettings,
  SettingsError,
} from '../core/lambda/settings.js';

/** A setting in `serverless.yml` is not valid. */
class TemplateError extends errorClass('TemplateError', 'TEMPLATE_INVALID') {}

/** https://docs.aws.amazon.com/powertools/typescript/latest/features/logger/#log-levels */
const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'SILENT'];

const FORWARDS_OPEN =
  'A server gets the header Authorization of hosts ("forward" in endpoint.yml) only where the endpoint does not need it. Remove the authorizer of the function, or "forward".';

/** Seconds that an HTTP API waits for the function. */
const HTTP_API_SECONDS = 30;

/** What packaging knows about a function. */
export interface PackagedFunction {
  readonly environment: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly timeout: unknown;
  /** Whether an HTTP API calls the function. */
  readonly httpApi: boolean;
  /** Whether a server of the endpoint gets the header `Authorization` of hosts. */
  readonly forwards?: boolean | undefined;
  /** Whether an authorizer of AWS runs before the function. */
  readonly hasAuthorizer?: boolean | undefined;
}

/**
 * Checks the settings of a function before it is deployed, as the function itself would at its start. Throws a
 * `TemplateError` if one is not valid.
 *
 * @param packaged the function; variables whose values only CloudFormation knows are not checked
 * @returns its settings
 * @example
 * checkSettings({ environment: { MCP_CONCERNS_SESSION_SECONDS: '3600' }, timeout: 29, httpApi: true });
 */
export function checkSettings({
  environment,
  timeout,
  httpApi,
  forwards = false,
  hasAuthorizer = false,
}: PackagedFunction): FunctionSettings {
  const given = Object.entries(environment);
  const known = Object.fromEntries(given.flatMap(([name, value]) => knownValue(name, value)));
  const problems: string[] = [];
  let settings: FunctionSettings | undefined;
  try {
    settings = readSettings(known);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    problems.push(cause.message);
  }
  const refused = forwards && settings !== undefined ? forwardingProblem(settings) : undefined;
  if (refused !== undefined) problems.push(refused);
  else if (forwards && hasAuthorizer) problems.push(FORWARDS_OPEN);
  const level = known.POWERTOOLS_LOG_LEVEL ?? 'INFO';
  if (!LOG_LEVELS.includes(level.toUpperCase()))
    problems.push(`"${level}" is not a valid value for POWERTOOLS_LOG_LEVEL (${LOG_LEVELS.join(', ')}).`);
  const rate = known.POWERTOOLS_LOGGER_SAMPLE_RATE ?? '0';
  if (!(Number(rate) >= 0 && Number(rate) <= 1))
    problems.push(`POWERTOOLS_LOGGER_SAMPLE_RATE must be a number from 0 to 1, not "${rate}".`);
  if (httpApi && typeof timeout === 'number' && timeout > HTTP_API_SECONDS)
    problems.push(
      `The timeout of ${timeout} s is too long: an HTTP API waits for ${HTTP_API_SECONDS} s. Use at most 29, or stream responses behind a REST API or a function URL.`,
    );
  if (settings === undefined || problems.length > 0) throw new TemplateError(problems.join(' '));
  return settings;
}

function knownValue(name: string, value: unknown): [name: string, value: string][] {
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]];
  // The name of a table is usually a reference to the table.
  return name === 'MCP_CONCERNS_TABLE' && typeof value === 'object' ? [[name, 'a reference']] : [];
}
