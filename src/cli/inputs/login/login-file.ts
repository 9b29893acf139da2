import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  OAuthClientInformationFullSchema,
  type OAuthClientInformationMixed,
  OAuthClientInformationSchema,
  type OAuthTokens,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { sha256Of } from '../../../core/sha256.js';
import { read } from '../../../core/wire/messages.js';
import { UpstreamError } from '../../../proxy/upstream-error.js';
import { systemCode } from '../../errors.js';
import { isRunning, ownershipProblem, stateFolder, writePrivate } from '../../project/state-folder.js';

/** What is kept of the login to one server. */
export interface KeptLogin {
  /** How this program is registered at the issuer. */
  readonly client?: OAuthClientInformationMixed | undefined;
  /** Where the issuer sends the browser, which the registration names. */
  readonly redirect?: string | undefined;
  readonly tokens?: OAuthTokens | undefined;
}

const REGISTERED = OAuthClientInformationFullSchema.or(OAuthClientInformationSchema);

/** How often a process looks whether another one has finished a login. */
const LOOK_MS = 200;

/** The login to one server, in the folder of this user's state. All processes of the user share it. */
export class LoginFile {
  readonly path: string;

  /**
   * @param url the server. Its query can have a key, so the name of the file is a digest
   * @param environment the variables of the process
   */
  constructor(
    private readonly url: URL,
    environment: NodeJS.ProcessEnv,
  ) {
    this.path = join(stateFolder(environment), 'logins', `${sha256Of(url.href)}.json`);
  }

  /**
   * @returns what is kept; nothing if the file is missing or damaged, so that the person signs in again
   * @throws {UpstreamError} if others can read or write the file
   */
  read(): KeptLogin {
    let found: unknown;
    try {
      const stats = lstatSync(this.path);
      const problem = stats.isFile() ? ownershipProblem(stats) : 'is not a regular file';
      if (problem !== undefined)
        throw new UpstreamError(`the file with its login ${problem}. Remove ${this.path}, and sign in again`);
      found = JSON.parse(readFileSync(this.path, 'utf8'));
    } catch (cause) {
      if (cause instanceof UpstreamError) throw cause;
      return {};
    }
    const redirect = read(found, 'redirect');
    return {
      client: REGISTERED.safeParse(read(found, 'client')).data,
      redirect: typeof redirect === 'string' ? redirect : undefined,
      tokens: OAuthTokensSchema.safeParse(read(found, 'tokens')).data,
    };
  }

  /** @throws {UpstreamError} if it cannot be kept: an issuer that replaces refresh tokens would not accept the old one again */
  write(kept: KeptLogin): void {
    const server = this.url.origin + this.url.pathname;
    try {
      writePrivate(this.path, JSON.stringify({ server, ...kept }));
    } catch (cause) {
      throw new UpstreamError(
        `its login cannot be kept in ${this.path} (${systemCode(cause)})`,
        {},
        { cause },
      );
    }
  }

  /**
   * Waits until no other process signs in to the same server: one browser is enough, and an issuer may accept a refresh token
   * only once.
   *
   * @param signal aborts the wait
   * @returns lets the next process go on
   */
  async lock(signal: AbortSignal): Promise<() => void> {
    const file = `${this.path}.lock`;
    const own = `${file}.${process.pid}`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(own, String(process.pid), { mode: 0o600 });
    try {
      for (;;) {
        try {
          // A link appears with its content.
          linkSync(own, file);
          return () => rmSync(file, { force: true });
        } catch (cause) {
          if (systemCode(cause) !== 'EEXIST') throw cause;
        }
        if (isLeft(file)) rmSync(file, { force: true });
        else await sleep(LOOK_MS, undefined, { signal, ref: false });
      }
    } finally {
      rmSync(own, { force: true });
    }
  }
}

/** Whether the process that made a lock has ended without removing it. */
function isLeft(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid === process.pid || !isRunning(pid);
  } catch {
    // It was removed meanwhile.
    return false;
  }
}
