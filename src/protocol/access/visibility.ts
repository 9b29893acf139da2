import type { Configuration } from '../../engine/configuration.js';
import { decide, type IndexedDecision } from '../../engine/evaluate.js';
import { identityOf, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { type Catalog, decideItem } from '../../engine/select.js';
import { normalizeUri, uriVariantsOf } from './uri-variants.js';

/** The lists that an access check needs. A list that the server does not have is missing. */
export type Lists = { readonly [K in Kind]?: Catalog<Primitive> | undefined };

/** `unknown`: no list contains it, and the policy does not hide it. The server's own answer reveals nothing. */
export type Visibility = 'visible' | 'hidden' | 'unknown';

/** Returns whether a list shows the primitive with this identity. */
export function visibilityOfName(
  catalog: Catalog<Primitive> | undefined,
  name: string,
  configuration: Configuration,
): Visibility {
  const decision = decisionOnName(catalog, name, configuration);
  if (decision === undefined) return 'unknown';
  return decision.effect === 'show' ? 'visible' : 'hidden';
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

/** Returns whether the policy hides a primitive that the server does not list, such as any under `unmapped: hide`. */
export function visibilityOfUnlisted(
  kind: Kind,
  primitive: Primitive,
  configuration: Configuration,
): Visibility {
  const mapping = mapPrimitive(configuration.policy, kind, primitive);
  return decide(mapping, configuration).effect === 'hide' ? 'hidden' : 'unknown';
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
export function visibilityOfUri(lists: Lists, uri: string, configuration: Configuration): Visibility {
  const known = visibilityOfKnownUri(lists, uri, configuration);
  return known === 'unknown' ? visibilityOfUnlisted('resources', { uri }, configuration) : known;
}

/**
 * Returns whether a URI is shown, but `unknown` if no list and no entry of the policy knows it, also under
 * `unmapped: hide`.
 */
export function visibilityOfKnownUri(lists: Lists, uri: string, configuration: Configuration): Visibility {
  const listed = visibilityOfName(lists.resources, uri, configuration);
  // A listed URI in normal form has no other meaning.
  if (listed !== 'unknown' && normalizeUri(uri) === uri) return listed;
  if (uri.length > MAX_URI) return 'hidden';
  const found = uriVariantsOf(uri).map((variant) => visibilityOfVariant(lists, variant, configuration));
  return found.find((each) => each === 'hidden') ?? found.find((each) => each === 'visible') ?? 'unknown';
}

/** In characters. Checking all variants of a URI of megabytes takes seconds, and no server lists such a URI. */
const MAX_URI = 65_536;

function visibilityOfVariant(
  { resources, resourceTemplates }: Lists,
  uri: string,
  configuration: Configuration,
): Visibility {
  const listed = visibilityOfName(resources, uri, configuration);
  if (listed !== 'unknown') return listed;
  const matching = (resourceTemplates?.items ?? []).flatMap((item, position) =>
    templateOf(identityOf('resourceTemplates', item))(uri) ? [position] : [],
  );
  const shown = matching.some(
    (position) => resourceTemplates !== undefined && isShown(resourceTemplates, position, configuration),
  );
  if (matching.length > 0 && !shown) return 'hidden';
  const mapping = mapPrimitive(configuration.policy, 'resources', { uri });
  if (mapping.mapped && decide(mapping, configuration).effect === 'hide') return 'hidden';
  return matching.length > 0 ? 'visible' : 'unknown';
}

/** Returns the names, URIs and templates of all hidden primitives. */
export function hiddenIdentities(
  lists: Lists,
  configuration: Configuration,
): readonly { readonly kind: Kind; readonly identity: string }[] {
  return KINDS.flatMap((kind) => {
    const catalog = lists[kind];
    if (catalog === undefined) return [];
    return catalog.items.flatMap((item, position) =>
      isShown(catalog, position, configuration) ? [] : [{ kind, identity: identityOf(kind, item) }],
    );
  });
}

/** Returns whether a text is the name, URI or template of a hidden primitive of any kind. */
export function isHiddenIdentity(lists: Lists, text: string, configuration: Configuration): boolean {
  return KINDS.some((kind) => visibilityOfName(lists[kind], text, configuration) === 'hidden');
}

/**
 * Returns a function that tells whether the identity of a primitive is the target, or a template that matches it, in any
 * variant of the URI.
 *
 * @param kind the list that the primitives are from
 * @param name the name or URI of the request target
 */
export function targetMatcher(kind: Kind, name: string): (identity: string) => boolean {
  if (kind === 'tools' || kind === 'prompts') return (identity) => identity === name;
  const variants = uriVariantsOf(name);
  return kind === 'resources'
    ? (identity) => variants.includes(identity) || variants.includes(normalizeUri(identity))
    : (identity) => identity === name || variants.some(templateOf(identity));
}

const isShown = (catalog: Catalog<Primitive>, position: number, configuration: Configuration): boolean =>
  decideItem(catalog, position, configuration).effect === 'show';

const positions = new WeakMap<object, ReadonlyMap<string, readonly number[]>>();

function positionsOf(catalog: Catalog<Primitive>, name: string): readonly number[] {
  let known = positions.get(catalog);
  if (known === undefined) {
    const built = new Map<string, number[]>();
    catalog.items.forEach((item, position) => {
      const identity = identityOf(catalog.kind, item);
      // A server may list a URI in another form than the one it reads.
      const normal = catalog.kind === 'resources' ? normalizeUri(identity) : identity;
      for (const each of new Set([identity, normal])) {
        const same = built.get(each);
        if (same === undefined) built.set(each, [position]);
        else same.push(position);
      }
    });
    positions.set(catalog, built);
    known = built;
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
