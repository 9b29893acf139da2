import { isShown } from '../enforce/visibility.js';
import { withLists } from '../gather/with-lists.js';
import { canChange } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';

/**
 * Returns whether a tool is not hidden from the sender of a request that does not name the tool itself, such as a request
 * about a task.
 *
 * @param exchange the request, whose configuration is known
 * @param name the name of the tool
 * @throws {Error} if the server did not list its tools
 */
export function showsTool(exchange: Exchange, name: string): Promise<boolean> {
  const { configuration } = exchange;
  if (!canChange(configuration)) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const targets = [{ type: 'tool', name, withName: (params: object) => ({ ...params }) }] as const;
    withLists(exchange, { kinds: ['tools'], targets }, (lists, enough) => {
      if (enough) resolve(isShown(lists, { type: 'tool', name }, configuration));
      else reject(new Error('The server did not list its tools.'));
    });
  });
}
