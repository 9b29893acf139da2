/** The key of this process in the tab's own storage, so that reloading the page works. */
const STORED_KEY = 'mcp-concerns key';

/**
 * Returns the key of the process that served the page, and removes it from the address: the fragment of an address is never
 * sent, but a person may copy it.
 *
 * @returns an empty text if there is none
 */
export function takeKey(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('token');
  if (key !== null) {
    sessionStorage.setItem(STORED_KEY, key);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(STORED_KEY) ?? '';
}
