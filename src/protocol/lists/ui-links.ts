import type { Kind } from '../../engine/policy.js';
import { KINDS_OF } from '../access/targets.js';
import { isUriShown } from '../access/visibility.js';
import { withLists } from '../access/with-lists.js';
import { read } from '../messages/wire.js';
import type { Exchange } from '../request/exchange.js';

/** Where a tool names the resource that shows its result (SEP-1865). The second form is that of earlier drafts. */
const UI_PATHS: readonly (readonly [string, ...string[]])[] = [['ui', 'resourceUri'], ['ui/resourceUri']];

/**
 * Removes the links from listed tools to hidden resources under `enforce`, and calls `then` with the tools. Without such a
 * link, it calls `then` immediately with the same list.
 *
 * @param exchange the list request
 * @param kind the kind of primitives in the list
 * @param items the primitives for the client
 * @param then called once
 */
export function withoutHiddenUi(
  exchange: Exchange,
  kind: Kind,
  items: readonly object[],
  then: (items: readonly object[]) => void,
): void {
  const uris = kind === 'tools' && exchange.isEnforced ? new Set(items.flatMap(linksOf)) : undefined;
  if (uris === undefined || uris.size === 0) return then(items);
  const targets = [...uris].map((name) => ({ type: 'uri', name }) as const);
  withLists(exchange, { kinds: KINDS_OF.uri, targets }, (lists, enough) => {
    const hidden = [...uris].filter((uri) => !enough || !isUriShown(lists, uri, exchange.configuration));
    then(hidden.length === 0 ? items : items.map((item) => withoutLinks(item, new Set(hidden))));
  });
}

const linkAt = (tool: object, path: readonly string[]): unknown => read(tool, '_meta', ...path);

function linksOf(tool: object): readonly string[] {
  if (read(tool, '_meta') === undefined) return [];
  return UI_PATHS.flatMap((path) => {
    const uri = linkAt(tool, path);
    return typeof uri === 'string' ? [uri] : [];
  });
}

function withoutLinks(tool: object, hidden: ReadonlySet<unknown>): object {
  const _meta = { ...(read(tool, '_meta') as object | undefined) };
  const dropped = UI_PATHS.filter((path) => hidden.has(linkAt(tool, path)));
  if (dropped.length === 0) return tool;
  return { ...tool, _meta: dropped.reduce<object>((meta, path) => withoutKey(meta, path), _meta) };
}

function withoutKey(value: object, [key, ...rest]: readonly string[]): object {
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner]];
    return rest.length === 0 ? [] : [[name, withoutKey(inner as object, rest)]];
  });
  return Object.fromEntries(entries);
}
