import { canChange, unshared } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import type { EntryPath } from '../messages/routes.js';
import { type Answer, ERRORS, eraOf, type Failure, failure, read } from '../messages/wire.js';
import type { MessageContext } from '../request/request.js';
import type { ExpectedAccess } from './access-check.js';
import { KINDS_OF, type RequestTarget } from './targets.js';
import { visibilityOfUri } from './visibility.js';
import { withLists } from './with-lists.js';

/**
 * Drops the entries of an answer whose URI is hidden, such as the skills of `skills/list`. An entry without a URI is
 * dropped too.
 *
 * @param scope the gate
 * @param message the answer
 * @param expected the request
 * @param context what the transport knows about the request
 * @param paths where the lists of entries are in the result
 * @returns the answer for the client; an error if the server cannot list its resources
 */
export function filterEntries<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer,
  { request, configuration }: ExpectedAccess,
  context: C,
  paths: readonly EntryPath[],
): Answer | Promise<Answer | Failure> {
  if (!canChange(configuration)) return message;
  const uris = new Set<string>();
  const collect = (entry: unknown): boolean => {
    const uri = read(entry, 'uri');
    if (typeof uri === 'string') uris.add(uri);
    return true;
  };
  for (const path of paths) filterAt(message.result, path, collect);
  const targets = [...uris].map(
    (name): RequestTarget => ({ type: 'uri', name, withName: (params) => params }),
  );
  return new Promise((resolve) => {
    withLists(
      scope,
      request,
      context,
      { policy: configuration.policy, kinds: KINDS_OF.uri, targets },
      (lists, enough) => {
        if (!enough) return resolve(failure(message.id, ERRORS.internal, NOT_FILTERED));
        const isShown = (entry: unknown): boolean => {
          const uri = read(entry, 'uri');
          return typeof uri === 'string' && visibilityOfUri(lists, uri, configuration) !== 'hidden';
        };
        const result = paths.reduce<unknown>(
          (filtered, path) => filterAt(filtered, path, isShown),
          message.result,
        );
        resolve({ ...message, result: unshared(eraOf(request), { ...(result as object) }) });
      },
    );
  });
}

const NOT_FILTERED =
  'The answer could not be filtered, because the server did not list its resources. Try again.';

/** Filters the list at a path. `*` stands for each item of a list. Values of another form stay as they are. */
function filterAt(value: unknown, [key, ...rest]: EntryPath, keep: (entry: unknown) => boolean): unknown {
  if (key === undefined) return Array.isArray(value) ? value.filter(keep) : value;
  if (key === '*') return Array.isArray(value) ? value.map((each) => filterAt(each, rest, keep)) : value;
  const inner = read(value, key);
  return inner === undefined ? value : { ...(value as object), [key]: filterAt(inner, rest, keep) };
}
