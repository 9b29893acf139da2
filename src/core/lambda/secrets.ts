import { type ErrorClass, errorClass } from '../errors.js';
import { parseJson } from '../http/request-body.js';
import { read } from '../wire/messages.js';
import { SettingsError } from './settings.js';

type Environment = Record<string, string | undefined>;

const SecretErrorBase: ErrorClass<'SecretError', 'SECRET_UNREADABLE'> = errorClass(
  'SecretError',
  'SECRET_UNREADABLE',
);

/** A secret that a function needs cannot be read. */
export class SecretError extends SecretErrorBase {}

/** Reads secrets by the service that keeps them, as `@aws-lambda-powertools/parameters` does. */
export type SecretReaders = Readonly<
  Partial<Record<'ssm' | 'secretsmanager', (name: string) => Promise<unknown>>>
>;

/**
 * Reads secrets into environment variables while Lambda initializes. A variable that is already set keeps its value, so
 * that a function can run locally.
 *
 * @param sources where the value of each variable is: `ssm:NAME`, `secretsmanager:NAME`, or `secretsmanager:NAME#KEY` for
 *   one member of a secret that is a JSON object
 * @param readers read the secrets
 * @param env receives the values
 * @throws {SecretError} if a secret cannot be read or is empty
 * @example
 * await loadSecrets({ API_KEY: 'ssm:/mcp/api-key' }, { ssm: (name) => getParameter(name, { decrypt: true }) });
 */
export async function loadSecrets(
  sources: Readonly<Record<string, string>>,
  readers: SecretReaders,
  env: Environment = process.env,
): Promise<void> {
  await Promise.all(
    Object.entries(sources).map(async ([variable, source]) => {
      if (env[variable]) return;
      const value = await readSecret(source, readers).catch((cause) => {
        throw new SecretError(
          `${source}, the value of ${variable}, cannot be read (${reasonOf(cause)}). Check its name, and that the role of the function may read it.`,
          { cause },
        );
      });
      if (value === undefined) {
        throw new SecretError(`${source}, the value of ${variable}, is empty or not text.`);
      }
      env[variable] = value;
    }),
  );
}

/** Powertools wraps the error of the AWS client, whose name tells the reason: `AccessDeniedException`. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown error';
  return cause.cause instanceof Error ? cause.cause.name : cause.name;
}

async function readSecret(source: string, readers: SecretReaders): Promise<string | undefined> {
  const [, service = '', name = '', key] = /^(ssm|secretsmanager):([^#]+)(?:#(.+))?$/.exec(source) ?? [];
  const reader = service === 'ssm' || service === 'secretsmanager' ? readers[service] : undefined;
  if (reader === undefined) throw new SecretError(`${source} is not "ssm:NAME" or "secretsmanager:NAME".`);
  const text = await reader(name);
  if (typeof text !== 'string') return undefined;
  if (key === undefined) return text || undefined;
  // Without the error of the parser, which quotes the secret.
  const value = read(parseJson(text), key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Reads the headers for a remote server from environment variables. An unset variable is refused, because the remote server
 * would get an empty credential, and its error would not tell why.
 *
 * @param variables the name of the variable of each header
 * @param env the environment variables
 * @returns the headers
 * @throws {SettingsError} if a variable is not set; the message names every such variable
 * @example
 * const headers = upstreamHeaders({ Authorization: 'UPSTREAM_AUTHORIZATION' });
 */
export function upstreamHeaders(
  variables: Readonly<Record<string, string>>,
  env: Readonly<Environment> = process.env,
): Record<string, string> {
  const missing = Object.entries(variables).filter(([, variable]) => !env[variable]?.trim());
  if (missing.length > 0) {
    const names = missing.map(([header, variable]) => `${variable} (header ${header})`).join(', ');
    throw new SettingsError(`Variables for headers of the remote server are not set: ${names}.`);
  }
  const headers = Object.entries(variables).map(([header, variable]) => [header, env[variable] ?? '']);
  return Object.fromEntries(headers);
}
