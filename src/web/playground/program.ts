import { jsonOrText, withClaim } from '../../core/engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../core/engine/configuration.js';
import { readsClientName } from '../../core/engine/expression/expression.js';
import { identityOf, mapPrimitive, type Primitive } from '../../core/engine/mapping.js';
import { byKind, type Kind, type Policy, preparePolicy } from '../../core/engine/policy.js';
import { bindCatalog, type Catalog } from '../../core/engine/select.js';
import type { PanelItem, PanelState } from '../../core/gate/panel/panel-document.js';
import { completeChange, panelState } from '../../core/gate/panel/panel-state.js';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { type PlaygroundCatalog, type PolicyText, type Values, valuesIn } from './document.js';

/** A policy without errors, bound to a catalog. */
export interface Program {
  readonly policy: Policy;
  readonly catalogs: { readonly [K in Kind]?: Catalog<Primitive> };
}

/** @returns the texts by file name, as `parsePolicy` takes them */
export const textsOf = (files: readonly PolicyText[]): ReadonlyMap<string, string> =>
  new Map(files.map(({ name, text }) => [name, text]));

/**
 * Parses and compiles a policy, and binds it to a catalog.
 *
 * @param files the files of the policy
 * @param catalog the catalog of the server
 * @returns the findings that need no catalog and, if none of them is an error, the program
 * @example
 * buildProgram([{ name: 'policy.yaml', text: 'version: 1' }], { tools: [] }).program?.policy.concerns; // []
 */
export function buildProgram(
  files: readonly PolicyText[],
  catalog: PlaygroundCatalog,
): { readonly program?: Program; readonly findings: readonly Finding[] } {
  const { compiled, findings } = parsePolicy(textsOf(files));
  if (compiled === undefined) return { findings };
  const policy = preparePolicy(compiled);
  const catalogs = byKind((kind) => bindCatalog(policy, kind, catalog[kind] ?? []));
  return { program: { policy, catalogs }, findings };
}

/** @returns the values in effect for a host with these preferences and claims */
function configure({ policy }: Program, concerns: Values, claims: Values): Configuration {
  const sources = Object.keys(concerns).length === 0 ? [] : [{ from: 'session', concerns } as const];
  return resolveConfiguration(policy, sources, callerOf(policy, claims));
}

/** @returns what rules read of the caller and the person at the page can write: claims, scopes, and names of the client */
export const writtenPaths = ({ callerPaths }: Policy): readonly string[] =>
  callerPaths.filter((path) => /^claims\.|^caller\.scopes$/.test(path) || readsClientName(path));

/** @returns a caller whose claims give these values, and who has what is written for the paths of rules */
export function callerOf(policy: Policy, values: Values): Caller {
  const claims = new Map<string, unknown>();
  for (const path of writtenPaths(policy)) {
    const text = values[path];
    if (typeof text !== 'string' || path.startsWith('client.')) continue;
    if (path === 'caller.scopes') claims.set('scope', text);
    else claims.set(path.slice('claims.'.length), jsonOrText(text));
  }
  const [name, title, version] = ['name', 'title', 'version'].map((each) => values[`client.${each}`]);
  return policy.concerns.reduce<Caller>(
    (caller, concern) => {
      const value = concern.setBy === 'operator' ? values[concern.name] : undefined;
      return value === undefined || value === null ? caller : withClaim(caller, concern, [value].flat());
    },
    { claims, client: { name, title, version } },
  );
}

const tokensOf = (definition: object): number =>
  'tokens' in definition && typeof definition.tokens === 'number' ? definition.tokens : 0;

/**
 * Computes the document that the parts of the page show.
 *
 * @param program the policy and the catalog
 * @param server the name of the server
 * @param preferences what the host prefers
 * @param claims the verified claims
 * @returns every count, decision and reason, also of primitives that no preference shows
 * @example
 * stateOf(program, 'vault', { security: 'high' }, {}).shown.tools; // 10
 */
export function stateOf(program: Program, server: string, preferences: Values, claims: Values): PanelState {
  const { warnings, invalid } = configure(program, preferences, claims);
  return panelState({
    revision: 0,
    server: { name: server },
    session: '',
    sessions: [],
    preferences,
    configure: (changed) => configure(program, withoutUnset(program.policy, changed), claims),
    caller: callerOf(program.policy, claims),
    catalogs: program.catalogs,
    tokensOf,
    forAuthor: true,
    warnings: [
      ...warnings.map(({ message }) => message),
      ...invalid.map(
        ({ concern, value }) =>
          `${JSON.stringify(value)} is not a valid value for ${concern}. A host gets an error.`,
      ),
    ],
  });
}

/**
 * Changes preferences as a person who clicks a switch, and keeps only what a host would send.
 *
 * @param program the policy
 * @param before the preferences before the change
 * @param claims the verified claims
 * @param change values by concern, or `{ preset: NAME }`, which replaces every other value
 * @returns the preferences after the change
 * @example
 * changed(program, { security: 'high' }, {}, { security: null }); // {}
 */
export function changed(
  program: Program,
  before: Values,
  claims: Values,
  change: Readonly<Record<string, unknown>>,
): Values {
  const configuration = configure(program, before, claims);
  const { preset: _preset, ...complete } = completeChange(configuration, change);
  return withoutUnset(program.policy, complete);
}

/** Removes `null` for concerns without a default: a host that prefers nothing does not send them. */
function withoutUnset({ concerns }: Policy, values: Readonly<Record<string, unknown>>): Values {
  const defaults = new Set(concerns.flatMap((each) => (each.default === undefined ? [] : each.name)));
  const entries = Object.entries(valuesIn(values));
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || defaults.has(name)));
}

/**
 * Finds the line of the policy that says most about an item: the rule that decides, its exact entry, or the pattern or
 * `assign` that gives it a value.
 *
 * @param program the policy
 * @param item an item of the document
 * @returns the place; `undefined` if the policy does not mention the item
 */
export function placeOf({ policy, catalogs }: Program, { kind, name, reason }: PanelItem) {
  const primitive = catalogs[kind]?.items.find((each) => identityOf(kind, each) === name);
  const rule = reason.code === 'rule' ? policy.rules.find(({ id }) => id === reason.rule)?.source : undefined;
  const offers = primitive === undefined ? [] : mapPrimitive(policy, kind, primitive).offers;
  const source = rule ?? policy.entries[kind].get(name)?.source ?? offers.find(Boolean)?.source;
  const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(source ?? '') ?? [];
  return file === '' ? undefined : { file, line: Number(line) };
}
