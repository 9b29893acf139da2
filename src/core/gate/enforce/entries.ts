import { type Answer, ERRORS, type Failure, failure, read } from '../../wire/messages.js';
import { unshared } from '../request/configure.js';
import { listsFor, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { type EntryPath, entriesOf } from '../table/routes.js';
import { isUriShown } from './visibility.js';

/**
 * Drops the entries of an answer whose URI is hidden, such as the skills of `skills/list`. An entry without a URI is
 * dropped too. The row of the method says where the entries are.
 *
 * @returns the answer for the client; an error if the server cannot list its resources
 */
export function* filterEntries(
  { configuration, request, era }: Facts,
  message: Answer,
): ResponseSteps<Answer | Failure> {
  const paths = entriesOf(request.method);
  if (paths.length === 0) return message;
  const uris = new Set<string>();
  const collect = (entry: unknown): boolean => {
    const uri = read(entry, 'uri');
    if (typeof uri === 'string') uris.add(uri);
    return true;
  };
  for (const path of paths) filterAt(message.result, path, collect);
  const { lists, enough } = yield* listsFor('uri', uris);
  if (!enough)
    return failure(
      request.id,
      ERRORS.internal,
      'The answer could not be filtered, because the server did not list its resources. Try again.',
    );
  const isShown = (entry: unknown): boolean => {
    const uri = read(entry, 'uri');
    return typeof uri === 'string' && isUriShown(lists, uri, configuration);
  };
  const result = paths.reduce<unknown>((filtered, path) => filterAt(filtered, path, isShown), message.result);
  return { ...message, result: unshared(era, { ...(result as object) }) };
}

/** Filters the list at a path. `*` stands for each item of a list. Values of another form stay as they are. */
function filterAt(value: unknown, [key, ...rest]: EntryPath, keep: (entry: unknown) => boolean): unknown {
  if (key === undefined) return Array.isArray(value) ? value.filter(keep) : value;
  if (key === '*') return Array.isArray(value) ? value.map((each) => filterAt(each, rest, keep)) : value;
  const inner = read(value, key);
  return inner === undefined ? value : { ...(value as object), [key]: filterAt(inner, rest, keep) };
}
