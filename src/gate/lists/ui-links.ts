import type { Kind } from '../../engine/policy.js';
import { read } from '../../wire/messages.js';
import { KINDS_OF } from '../enforce/targets.js';
import { isUriShown } from '../enforce/visibility.js';
import { type Facts, isEnforced } from '../request/facts.js';
import { listsFor, type Settling } from '../request/needs.js';

/** Where a tool names the resource that shows its result (SEP-1865). The second form is that of earlier drafts. */
const UI_PATHS: readonly (readonly [string, ...string[]])[] = [['ui', 'resourceUri'], ['ui/resourceUri']];

/**
 * Removes the links from listed tools to hidden resources under `enforce`. Without such a link, nothing is needed, and the
 * list stays the same.
 */
export function* withoutHiddenUi(
  facts: Facts,
  kind: Kind,
  items: readonly object[],
): Settling<readonly object[]> {
  const uris = kind === 'tools' && isEnforced(facts) ? new Set(items.flatMap(linksOf)) : undefined;
  if (uris === undefined || uris.size === 0) return items;
  const targets = [...uris].map((name) => ({ type: 'uri', name }) as const);
  const { lists, enough } = yield* listsFor({ kinds: KINDS_OF.uri, targets });
  const hidden = [...uris].filter((uri) => !enough || !isUriShown(lists, uri, facts.configuration));
  return hidden.length === 0 ? items : items.map((item) => withoutLinks(item, new Set(hidden)));
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
