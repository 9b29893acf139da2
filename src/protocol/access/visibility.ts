import type { Configuration } from '../../engine/configuration.js';
import { decide, FITS, type IndexedDecision } from '../../engine/evaluate.js';
import { identityOf, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { KINDS, type Kind, type Policy } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import { parse, spellingsOf } from './uri-variants.js';

/** The server's lists that are needed to judge what a request reaches for; a list that the server does not have is missing. */
export type Lists = { readonly [K in Kind]?: Catalog<Primitive> | undefined };

/** `unknown`: no list holds it, so the server's own answer says nothing that is hidden. */
export type Visibility = 'visible' | 'hidden' | 'unknown';

/**
 * Tells whether a tool or prompt of that name is shown.
 *
 * @param catalog the server's list
 * @param name the name
 * @param configuration what is in effect
 */
export function visibilityOfName(
  catalog: Catalog<Primitive> | undefined,
  name: string,
  configuration: Configuration,
): Visibility {
  const decision = decisionOnName(catalog, name, configuration);
  if (decision === undefined) return 'unknown';
  return decision.effect === 'show' ? 'visible' : 'hidden';
}

/** @returns what decides about a tool or prompt of that name; of several of one name, whatever hides one */
export function decisionOnName(
  catalog: Catalog<Primitive> | undefined,
  name: string,
  configuration: Configuration,
): IndexedDecision | undefined {
  if (catalog === undefined) return undefined;
  const decisions = positionsOf(catalog, name).map((position) =>
    decisionOn(catalog, position, configuration),
  );
  return decisions.find(({ effect }) => effect === 'hide') ?? decisions[0];
}

/**
 * Tells whether a URI is shown: by its own place in the list of resources; else by the templates that cover it, of which
 * one has to be shown; and in any case by what the policy says of the URI itself. However a URI is written, it must not
 * be a way to something hidden.
 *
 * @param policy the policy
 * @param lists the server's resources and templates
 * @param uri the URI
 * @param configuration what is in effect
 */
export function visibilityOfUri(
  policy: Policy,
  lists: Lists,
  uri: string,
  configuration: Configuration,
): Visibility {
  const listed = visibilityOfName(lists.resources, uri, configuration);
  // Listed as a server reads it, it is nothing else.
  if (listed !== 'unknown' && parse(uri) === uri) return listed;
  if (uri.length > MAX_URI) return 'hidden';
  const found = spellingsOf(uri).map((way) => visibilityOfSpelling(policy, lists, way, configuration));
  return found.find((each) => each === 'hidden') ?? found.find((each) => each === 'visible') ?? 'unknown';
}

/** One of megabytes takes seconds to be read in every way, and nobody lists such a one. */
const MAX_URI = 65_536;

function visibilityOfSpelling(
  policy: Policy,
  { resources, resourceTemplates }: Lists,
  uri: string,
  configuration: Configuration,
): Visibility {
  const listed = visibilityOfName(resources, uri, configuration);
  if (listed !== 'unknown') return listed;
  const covering = (resourceTemplates?.items ?? []).flatMap((item, position) =>
    templateOf(identityOf('resourceTemplates', item))(uri) ? [position] : [],
  );
  const shown = covering.some(
    (position) => resourceTemplates !== undefined && isShown(resourceTemplates, position, configuration),
  );
  if (covering.length > 0 && !shown) return 'hidden';
  const mapping = mapPrimitive(policy, 'resources', { uri });
  if (mapping.mapped && decide(policy, mapping, configuration).effect === 'hide') return 'hidden';
  return covering.length > 0 ? 'visible' : 'unknown';
}

/** @returns the names, URIs and templates of everything that is hidden */
export function hiddenIdentities(lists: Lists, configuration: Configuration): readonly string[] {
  return KINDS.flatMap((kind) => {
    const catalog = lists[kind];
    if (catalog === undefined) return [];
    return catalog.items.flatMap((item, position) =>
      isShown(catalog, position, configuration) ? [] : [identityOf(kind, item)],
    );
  });
}

/**
 * @param kind a list
 * @param name what a request reaches for
 * @returns tells whether a primitive of that list is it, or covers it, however both are written
 */
export function isReachedBy(kind: Kind, name: string): (identity: string) => boolean {
  if (kind === 'tools' || kind === 'prompts') return (identity) => identity === name;
  const ways = spellingsOf(name);
  return kind === 'resources'
    ? (identity) => ways.includes(identity) || ways.includes(parse(identity))
    : (identity) => identity === name || ways.some(templateOf(identity));
}

const isShown = (catalog: Catalog<Primitive>, position: number, configuration: Configuration): boolean =>
  decisionOn(catalog, position, configuration).effect === 'show';

function decisionOn(
  { policy, classes, classOf }: Catalog<Primitive>,
  position: number,
  configuration: Configuration,
): IndexedDecision {
  const mapping = classes[classOf[position] ?? -1];
  return mapping === undefined ? FITS : decide(policy, mapping, configuration);
}

const positions = new WeakMap<object, ReadonlyMap<string, readonly number[]>>();

function positionsOf(catalog: Catalog<Primitive>, name: string): readonly number[] {
  let known = positions.get(catalog);
  if (known === undefined) {
    const made = new Map<string, number[]>();
    catalog.items.forEach((item, position) => {
      const identity = identityOf(catalog.kind, item);
      // A server may list a URI in another way than it reads it.
      for (const name of new Set([identity, catalog.kind === 'resources' ? parse(identity) : identity])) {
        made.set(name, [...(made.get(name) ?? []), position]);
      }
    });
    positions.set(catalog, made);
    known = made;
  }
  return known.get(name) ?? [];
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
