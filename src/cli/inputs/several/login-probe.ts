import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { withinOrigin } from '../../../upstream/wires/within-origin.js';
import { read } from '../../../wire/messages.js';
import { fetchWithin } from '../fetch-within.js';
import { filledTexts } from './servers-file.js';

/** Milliseconds. A server that does not answer so fast is one that does not ask for a login. */
const PATIENCE_MS = 5000;

/**
 * Asks a remote server whether it wants a login. The host has that login, so the server must stay with the host.
 *
 * @param entry the server in a host's file
 * @param env the environment, for variables in the file
 * @returns whether the server answers 401
 */
export async function wantsLogin(entry: unknown, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (typeof read(entry, 'url') !== 'string') return false;
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT };
  try {
    const { url = '' } = filledTexts({ url: read(entry, 'url') }, env);
    const headers = filledTexts(read(entry, 'headers'), env);
    const response = await reach(url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    });
    await response.body?.cancel();
    return response.status === 401;
  } catch {
    // A variable without a value, or a server that cannot be reached: `serve` says so.
    return false;
  }
}

/** The headers of the host's file are the server's alone. */
const reach = withinOrigin((url, { signal: _none, ...init } = {}) =>
  fetchWithin(PATIENCE_MS, String(url), init),
);

const CLIENT = { name: 'mcp-concerns', version: '1' };
