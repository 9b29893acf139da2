import { configurationFor } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import { decide, type IndexedDecision } from '../../engine/evaluate.js';
import { identityOf, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { type Catalog, decideItem } from '../../engine/select.js';
import { getOrMake } from '../../once.js';
import type { Lists, Target } from '../request/decision.js';
import { NO_LISTS } from '../request/whole-list.js';
import { areSeveral, barePrimitive } from './of-servers.js';
import { normalizeUri, uriVariantsOf } from './uri-variants.js';

export type { Lists, Target };

/**
 * Returns whether a client may use what a request names. A listed primitive is shown if its list shows it. The server's
 * list of tools and prompts is complete, so one that is not listed is hidden, unless an entry or a pattern of the policy
 * names it and shows it: so a hidden name and an unknown one take the same path. Servers need not list every resource, so
 * the policy alone decides about a URI that no list knows.
 *
 * @param lists the server's lists
 * @param target the name or URI
 * @param configuration the values in effect
 * @example
 * isShown({ tools }, { type: 'tool', name: 'logData' }, configuration); // false
 */
export function isShown(lists: Lists, { type, name }: Target, configuration: Configuration): boolean {
  if (type === 'uri') {
    // completion/complete names a template by its text.
    const asTemplate = decisionOnName(lists.resourceTemplates, name, configuration);
    return asTemplate === undefined ? isUriShown(lists, name, configuration) : asTemplate.effect === 'show';
  }
  const kind = type === 'tool' ? 'tools' : 'prompts';
  const listed = decisionOnName(lists[kind], name, configuration);
  if (listed !== undefined) return listed.effect === 'show';
  const { policy } = configuration;
  // Without a definition, nothing tells what its arguments may be.
  if (kind === 'tools' && policy.isAboutArguments) return false;
  // In front of several servers, no server is asked in the place of a hidden name. One that a pattern shows is not either:
  // its server would answer in other words, and so tell the names of the pattern that are hidden.
  const isNamed = areSeveral(lists) ? policy.entries[kind].has(name) : namesIt(policy, kind, name);
  return isNamed && isBareShown(lists, kind, name, configuration);
}

/**
 * Returns whether the policy alone shows a tool or prompt, whatever the server lists: its exact entry has a value for each
 * concern in effect, which nothing weaker can change, and no rule reads more of it than its kind and name. Then no list is
 * needed. A hidden name is not decided this way: it must take as long as an unknown one.
 */
export function isShownByEntry(target: Target, configuration: Configuration): boolean {
  const { type, name } = target;
  if (type === 'uri' || (type === 'tool' && configuration.policy.isAboutArguments)) return false;
  const kind = type === 'tool' ? 'tools' : 'prompts';
  const { policy, effective, narrowed } = configuration;
  if (narrowed !== undefined && !isShownByEntry(target, narrowed)) return false;
  const entry = policy.entries[kind].get(name);
  if (entry === undefined || rulesReadMore(policy, kind)) return false;
  const isValued = effective.every(
    (value, index) => value === undefined || entry.assignments.some(({ concern }) => concern === index),
  );
  // No rule reads which of several servers has it.
  return isValued && isBareShown(NO_LISTS, kind, name, configuration);
}

function rulesReadMore({ rules }: Policy, kind: Kind): boolean {
  return rules.some(({ kinds, paths }) => kinds.includes(kind) && paths.some(readsMoreThanName));
}

/** Of everything that rules read, only this is known without the server's list. The empty path reads everything. */
const readsMoreThanName = (path: string): boolean =>
  !/^(?:concerns|claims|caller|client|protocol)\b|^primitive\.(?:kind|name)$/.test(path);

/** Returns whether an entry or a pattern of the policy names a primitive of a kind. */
function namesIt({ entries, patterns }: Policy, kind: Kind, name: string): boolean {
  return entries[kind].has(name) || patterns[kind].some(({ matches }) => matches(name));
}

/**
 * Returns whether the policy shows a primitive of which only the name or URI is known. Where changed definitions are hidden,
 * a tool or prompt without a definition is, too. A URI has none of its own if no list has it.
 */
export function isBareShown(
  lists: Lists,
  kind: Kind,
  identity: string,
  configuration: Configuration,
): boolean {
  const needsDefinition = configuration.policy.pins?.changed === 'hide';
  if (needsDefinition && (kind === 'tools' || kind === 'prompts')) return false;
  const mapping = mapPrimitive(configuration.policy, kind, barePrimitive(lists, kind, identity));
  return decide(mapping, configurationFor(configuration, kind, identity)).effect === 'show';
}

/** Returns the decision on the primitive with this identity. If several have it, one that is hidden decides. */
export function decisionOnName(
  catalog: Catalog<Primitive> | undefined,
  name: string,
  configuration: Configuration,
): IndexedDecision | undefined {
  if (catalog === undefined) return undefined;
  const decisions = positionsOf(catalog, name).map((position) =>
    decideItem(catalog, position, configuration),
  );
  return decisions.find(({ effect }) => effect === 'hide') ?? decisions[0];
}

/**
 * Returns whether a URI is shown. A listed resource is shown if the list shows it. Another URI is hidden if templates
 * match it and none of them is shown, or if the policy hides the URI by itself. All variants of the URI are checked, so
 * that no variant gives access to a hidden resource.
 *
 * @param lists the server's resources and templates
 * @param uri the URI
 * @param configuration the values in effect
 */
export function isUriShown(lists: Lists, uri: string, configuration: Configuration): boolean {
  return decisionOnKnownUri(lists, uri, configuration) ?? isBareShown(lists, 'resources', uri, configuration);
}

/**
 * Returns whether a client may know that a URI exists: a list, a template or the policy names it, and it is shown. To a
 * client, a hidden URI and one that nothing names are the same.
 */
export const isUriKnown = (lists: Lists, uri: string, configuration: Configuration): boolean =>
  decisionOnKnownUri(lists, uri, configuration) ??
  (namesIt(configuration.policy, 'resources', uri) && isBareShown(lists, 'resources', uri, configuration));

/**
 * Returns whether a URI is shown; `undefined` if no list and no entry of the policy knows it, also under
 * `unmapped: hide`.
 */
export function decisionOnKnownUri(
  lists: Lists,
  uri: string,
  configuration: Configuration,
): boolean | undefined {
  const listed = decisionOnName(lists.resources, uri, configuration);
  // A listed URI in normal form has no other meaning.
  if (listed !== undefined && normalizeUri(uri, lists.servers) === uri) return listed.effect === 'show';
  if (uri.length > MAX_URI) return false;
  const found = uriVariantsOf(uri, lists.servers).map((variant) =>
    decisionOnVariant(lists, variant, configuration),
  );
  return found.includes(false) ? false : found.find((each) => each !== undefined);
}

/**
 * In characters. Finding and checking all variants of a URI of megabytes takes seconds, and no server lists such a URI: a client
 * is shown it only if a list has it, in its normal form.
 */
export const MAX_URI = 65_536;

function decisionOnVariant(lists: Lists, uri: string, configuration: Configuration): boolean | undefined {
  const { resources, resourceTemplates: templates } = lists;
  const listed = decisionOnName(resources, uri, configuration);
  if (listed !== undefined) return listed.effect === 'show';
  const matching = (templates?.items ?? []).flatMap((item, position) =>
    templates !== undefined && templateOf(identityOf('resourceTemplates', item))(uri)
      ? [decideItem(templates, position, configuration)]
      : [],
  );
  if (matching.length > 0 && !matching.some(({ effect }) => effect === 'show')) return false;
  const mapping = mapPrimitive(configuration.policy, 'resources', barePrimitive(lists, 'resources', uri));
  if (mapping.mapped && decide(mapping, configuration).effect === 'hide') return false;
  return matching.length > 0 ? true : undefined;
}

/**
 * Returns a function that tells whether the identity of a primitive is the target, or a template that matches it, in any
 * variant of the URI. A URI that is too long has no variants, because only a list can show it.
 *
 * @param kind the list that the primitives are from
 * @param name the name or URI of the request target
 * @param servers of several servers, their names
 */
export function targetMatcher(
  kind: Kind,
  name: string,
  servers: ReadonlySet<string>,
): (identity: string) => boolean {
  if (kind === 'tools' || kind === 'prompts') return (identity) => identity === name;
  const isTooLong = name.length > MAX_URI;
  const variants = isTooLong ? [name] : uriVariantsOf(name, servers);
  return kind === 'resources'
    ? (identity) => variants.includes(identity) || variants.includes(normalizeUri(identity, servers))
    : (identity) => identity === name || (!isTooLong && variants.some(templateOf(identity)));
}

const positions = new WeakMap<object, Map<string, number[]>>();

/** Returns the positions of the primitives in a list that have this identity. */
export function positionsOf(catalog: Catalog<Primitive>, name: string): readonly number[] {
  return getOrMake(positions, catalog, () => readPositions(catalog)).get(name) ?? [];
}

function readPositions({ kind, items, servers }: Catalog<Primitive>): Map<string, number[]> {
  const found = new Map<string, number[]>();
  items.forEach((item, position) => {
    const identity = identityOf(kind, item);
    // A server may list a URI in another form than the one it reads.
    const normal = kind === 'resources' ? normalizeUri(identity, servers) : identity;
    for (const each of new Set([identity, normal])) getOrMake(found, each, () => []).push(position);
  });
  return found;
}

const templates = new Map<string, (uri: string) => boolean>();
const MAX_TEMPLATES = 1000;

function templateOf(template: string): (uri: string) => boolean {
  const known = templates.get(template);
  if (known !== undefined) return known;
  const { matches } = compileUriTemplate(template);
  if (templates.size < MAX_TEMPLATES) templates.set(template, matches);
  return matches;
}
