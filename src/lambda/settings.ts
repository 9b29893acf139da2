/** What an operator sets in the environment of a deployed function. */
export interface FunctionSettings {
  /** Where sessions are kept: in a table, in each environment's own memory, or nowhere. */
  readonly sessions:
    | { readonly in: 'dynamodb'; readonly table: string }
    | { readonly in: 'memory' }
    | { readonly in: 'nowhere' };
  readonly expiresAfterSeconds?: number;
  readonly origins: readonly string[];
  /** Issuers of the tokens that callers need; none: everybody may call. */
  readonly issuers: readonly string[];
  readonly resource?: string;
  readonly scopes: readonly string[];
  readonly response: 'buffered' | 'stream';
  readonly logSalt: string;
}

/** The environment of the function is not one that it can work in. */
export class SettingsError extends Error {
  readonly code = 'SETTINGS_INVALID';
  override readonly name = 'SettingsError';
}

/**
 * Reads the settings of a function, all of them and here alone. An empty variable is as good as none: a template cannot
 * always leave one out.
 *
 * | variable | what it is |
 * |---|---|
 * | `MCP_CONCERNS_SESSIONS` | `dynamodb`, `memory` or `none`; `dynamodb` if there is a table, else `memory` |
 * | `MCP_CONCERNS_TABLE` | the table's name |
 * | `MCP_CONCERNS_SESSION_SECONDS` | seconds after its last use that a session expires |
 * | `MCP_CONCERNS_ORIGINS` | origins of pages that may use the endpoint, separated by commas; `*` for all |
 * | `MCP_CONCERNS_ISSUERS` | issuers of tokens, separated by commas: callers need one, and hosts log in there |
 * | `MCP_CONCERNS_RESOURCE` | the endpoint's public URL, if it is not the one that requests name |
 * | `MCP_CONCERNS_SCOPES` | scopes that hosts ask for when they log in, separated by spaces |
 * | `MCP_CONCERNS_RESPONSE` | `buffered`, or `stream` on a function URL that streams |
 * | `MCP_CONCERNS_LOG_SALT` | any text: makes the hashes of session ids differ from other deployments' |
 *
 * @param env the environment, `process.env`
 * @returns the settings
 * @throws {SettingsError} that names every variable that is wrong
 * @example
 * readSettings({ MCP_CONCERNS_TABLE: 'sessions' }).sessions; // { in: 'dynamodb', table: 'sessions' }
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): FunctionSettings {
  const problems: string[] = [];
  const text = (name: string): string => env[`MCP_CONCERNS_${name}`]?.trim() ?? '';
  const list = (name: string, separator: RegExp): string[] =>
    text(name)
      .split(separator)
      .filter((part) => part !== '');
  const oneOf = <T extends string>(name: string, values: readonly T[], otherwise: T): T => {
    const found = text(name) === '' ? otherwise : values.find((value) => value === text(name));
    if (found === undefined) problems.push(`MCP_CONCERNS_${name} must be one of ${values.join(', ')}`);
    return found ?? otherwise;
  };
  const urls = (name: string, values: readonly string[], what: string): void => {
    const wrong = values.filter((value) => value !== '*' && !/^https?:\/\//.test(value));
    if (wrong.length > 0) problems.push(`MCP_CONCERNS_${name} must hold ${what}, not ${wrong.join(', ')}`);
  };

  const table = text('TABLE');
  const sessions = oneOf('SESSIONS', ['dynamodb', 'memory', 'none'], table === '' ? 'memory' : 'dynamodb');
  if (sessions === 'dynamodb' && table === '')
    problems.push('MCP_CONCERNS_TABLE must name the table of sessions');
  const seconds = text('SESSION_SECONDS');
  if (!/^([1-9]\d*)?$/.test(seconds))
    problems.push('MCP_CONCERNS_SESSION_SECONDS must be a number of seconds');
  const origins = list('ORIGINS', /\s*,\s*/);
  urls('ORIGINS', origins, 'origins like https://host.example');
  const issuers = list('ISSUERS', /\s*,\s*/);
  urls('ISSUERS', issuers, 'URLs of issuers');
  const resource = text('RESOURCE');
  urls('RESOURCE', resource === '' ? [] : [resource], "the endpoint's URL");
  const response = oneOf('RESPONSE', ['buffered', 'stream'], 'buffered');
  if (problems.length > 0) throw new SettingsError(`${problems.join('; ')}.`);

  return {
    sessions:
      sessions === 'dynamodb' ? { in: sessions, table } : { in: sessions === 'none' ? 'nowhere' : 'memory' },
    ...(seconds === '' ? {} : { expiresAfterSeconds: Number(seconds) }),
    origins: origins.map((origin) => origin.replace(/\/$/, '')),
    issuers,
    ...(resource === '' ? {} : { resource }),
    scopes: list('SCOPES', /\s+/),
    response,
    logSalt: text('LOG_SALT'),
  };
}
