import { sha256Of } from '../sha256.js';
import { type Message, read } from '../wire/messages.js';

/** The variable in which a command gives a key to the server that it starts: 32 random bytes, as base64url. */
export const WHOLE_LIST_KEY = 'MCP_CONCERNS_WHOLE_LIST_KEY';
/** The key of `_meta` in which the first message of the command repeats it. */
export const WHOLE_LIST_META = 'io.github.mcp-concerns/whole-list-key';

/** A shorter key could be guessed. */
const KEY = /^[\w-]{43}$/;

/**
 * Takes the key of this process, which only the program knows that started it. It is valid for one connection.
 *
 * @returns whether the first message of the connection has the key; `undefined` if there is none
 */
export function takeKey(): ((first: Message) => boolean) | undefined {
  // Workers have no `process`.
  const env = globalThis.process?.env ?? {};
  const key = env[WHOLE_LIST_KEY];
  // To delete what is not there takes half a microsecond, for each request of a server that is made for it.
  if (key === undefined) return undefined;
  // Processes that this one starts get no key.
  delete env[WHOLE_LIST_KEY];
  if (!KEY.test(key)) return undefined;
  const digest = sha256Of(key);
  return (first) => {
    const given = read(first, 'params', '_meta', WHOLE_LIST_META);
    // Digests: the time that a comparison takes tells nothing of the key.
    return typeof given === 'string' && sha256Of(given) === digest;
  };
}
