import { getOrMake } from '../../../core/once.js';
import { openInBrowser } from '../../terminal/open-in-browser.js';
import { plain, type Terminal } from '../../terminal/output.js';
import { Login } from './login.js';
import { LoginFile } from './login-file.js';

/** The logins of one person, by the URL of the server. */
export type Logins = (url: URL) => Login;

/**
 * @param terminal where the person is told to sign in
 * @returns the logins: two entries with one URL share one
 */
export function createLogins({ env, stderr, warn }: Pick<Terminal, 'env' | 'stderr' | 'warn'>): Logins {
  const logins = new Map<string, Login>();
  const make = (url: URL): Login =>
    new Login(url, new LoginFile(url, env), async (address) => {
      const server = plain(url.host);
      const isOpen = await openInBrowser(address.href);
      const how = isOpen ? `Sign in to ${server} in the browser.` : 'No browser could be started.';
      // Over SSH, a browser may start that nobody sees. Hosts write stderr to log files, so there the address is left out.
      const isSaid = !isOpen || stderr.isTTY === true;
      warn(`note: ${how}${isSaid ? ` Open this address to sign in to ${server}: ${address.href}` : ''}`);
    });
  return (url) => getOrMake(logins, url.href, () => make(url));
}
