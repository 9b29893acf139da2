import { UsageError } from '../errors.js';
import type { Options } from './generated/commands.js';

/** The options of `serve` that say who may use the endpoint, and where its sessions are kept. */
type ServiceValues = Pick<
  Options['serve'],
  'host' | 'allowHost' | 'open' | 'issuer' | 'audience' | 'sessionsStore' | 'stdio'
>;

/** Who may use the endpoint, at which address, and where its sessions are kept. */
export interface Service {
  readonly host: string;
  /** Other names of the endpoint, in lower case. */
  readonly names: readonly string[];
  /** Whether others than the person who runs it may use it. */
  readonly isForMany: boolean;
  /** Whether it has no key. */
  readonly isOpen: boolean;
  /** Which tokens take the place of the key. */
  readonly tokens: { readonly issuer: string; readonly audience: string } | undefined;
  /** The URL of the store that processes share, or its table. */
  readonly store: string | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/;

/**
 * Checks the options that make `serve` a service.
 *
 * @param values the options
 * @param environment the variables of the process: the URL of a store can have a password
 * @returns what they say
 * @throws {UsageError} if they contradict each other, or one is not valid
 * @example
 * readService({ host: '0.0.0.0', allowHost: ['mcp.example'] }, process.env).isForMany; // true
 */
export function readService(values: ServiceValues, environment: NodeJS.ProcessEnv): Service {
  const { host, allowHost = [], open: isOpen = false, issuer, audience, stdio } = values;
  const store = values.sessionsStore ?? (environment.MCP_CONCERNS_SESSIONS_STORE || undefined);
  const isForMany = !LOOPBACK.test(host) || [...allowHost, issuer, store].some((each) => each !== undefined);
  const problems: readonly (readonly [boolean, string])[] = [
    [isForMany && stdio === true, '--host, --allow-host, --issuer and --sessions-store need HTTP'],
    [(issuer ?? '') === '' && audience !== undefined, '--audience needs --issuer'],
    [issuer !== undefined && !isSecure(issuer), '--issuer takes a URL with https'],
    [issuer !== undefined && (audience ?? '') === '', '--issuer needs --audience'],
    [issuer !== undefined && isOpen, 'Pass --issuer or --open, not both'],
    [!allowHost.every((name) => NAME.test(name)), '--allow-host takes a host name, such as mcp.example'],
    [store !== undefined && !STORE.test(store), '--sessions-store takes redis://HOST or dynamodb:TABLE'],
  ];
  const [, problem] = problems.find(([isProblem]) => isProblem) ?? [];
  if (problem !== undefined) throw new UsageError(problem);
  return {
    host,
    names: allowHost.map((name) => name.toLowerCase()),
    isForMany,
    isOpen,
    tokens: issuer === undefined || audience === undefined ? undefined : { issuer, audience },
    store,
  };
}

const NAME = /^[\w.-]+(?::\d+)?$/;
const STORE = /^(?:rediss?:\/\/|dynamodb:)\S+$/;

function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
