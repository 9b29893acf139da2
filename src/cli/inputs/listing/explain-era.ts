import { LEGACY_VERSIONS, MODERN_VERSION } from '../../../proxy/eras/envelope.js';
import { UnknownVersions } from '../../../proxy/eras/era.js';
import { EraUnavailable } from '../../../proxy/upstream-error.js';
import { CliError } from '../../errors.js';

/**
 * Says in one sentence why the server cannot be used, after it was asked which versions of the protocol it speaks.
 *
 * @param cause the error of the upstream
 * @param refused the error of `initialize`, if the server has refused that before
 * @param unreachable what may be the reason if it cannot be reached
 * @throws {CliError} always
 */
export function explainEra(cause: unknown, refused?: CliError, unreachable?: string): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof UnknownVersions) {
    const ours = `This version speaks ${MODERN_VERSION} and up to ${LEGACY_VERSIONS[0]}.`;
    throw new CliError(`The server ${reason.replace(/^it /, '')}. ${ours}`, { cause });
  }
  if (refused !== undefined) throw refused;
  if (cause instanceof EraUnavailable) {
    throw new CliError(`The server does not speak ${MODERN_VERSION}. Leave out --protocol.`, { cause });
  }
  // The status of a remote server that wants to know who asks.
  if (/^it answered HTTP 401\b/.test(reason)) throw new CliError(SIGN_IN, { cause });
  const what = reason
    .replace(/^it answered HTTP (\d+).*/, 'answered $1')
    .replace(/^it /, '')
    .replace(/^fetch failed/, 'cannot be reached');
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(what)) ?? [];
  const more = unreachable !== undefined && what.startsWith('cannot be reached') ? ` ${unreachable}` : '';
  throw new CliError(
    `The server ${what}, so its protocol version is unknown. ${advice ?? 'Start again when it works.'}${more}`,
    { cause },
  );
}

const SIGN_IN = 'The server answered 401. Pass --login to sign in, or --header with a token.';

const ADVICE = [
  [/^answered 403$/, 'Pass its credentials with --header.'],
  [/^cannot be reached/, 'Check its URL, and that it runs.'],
  [/^(cannot be started|ended|was ended)/, 'Check that its command runs by itself.'],
] as const;
