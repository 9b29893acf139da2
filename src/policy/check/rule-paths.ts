import { keysOf, readsClientName } from '../../engine/expression/expression.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { listNames } from '../../engine/match/list-names.js';
import { type Problem, problem } from '../language/problem.js';
import type { ConcernDeclaration } from './check-values.js';
import { CALLER, HINTS, PRIMITIVE } from './generated/rule-paths.js';

/** The type of the value at a dotted path of a rule, as far as it is known before a request. */
export type PathType =
  | { readonly type: 'text'; readonly values?: readonly string[] }
  | { readonly type: 'number' }
  | { readonly type: 'list'; readonly values?: readonly string[] }
  | { readonly type: 'anything' };

const FIELDS: ReadonlyMap<string, PathType> = new Map(Object.entries(PRIMITIVE));

/** The defaults of MCP for what a tool says about itself: the meaning of a hint that is absent. */
export const HINT_DEFAULTS: ReadonlyMap<string, boolean | string> = new Map(Object.entries(HINTS));

/**
 * Lists the paths that a rule can read without naming something of its own, for editors.
 *
 * @param concerns the names of the declared concerns
 * @returns the paths
 * @example
 * rulePaths(['security'])[0]; // 'concerns.security'
 */
export const rulePaths = (concerns: Iterable<string>): readonly string[] => [
  ...[...concerns].map((name) => `concerns.${name}`),
  ...[...FIELDS.keys()].map((name) => `primitive.${name}`),
  ...[...HINT_DEFAULTS.keys()].filter((path) => !FIELDS.has(path.replace('primitive.', ''))),
  ...CALLER,
];

/**
 * Finds the type of the value that a rule reads.
 *
 * @param path a dotted path of a rule
 * @param concerns the declared concerns by name
 * @returns the type of its value; a problem if nothing declares the path
 * @example
 * typeOfPath('concerns.security', concerns); // { type: 'text', values: ['low', 'high'] }
 */
export function typeOfPath(
  path: string,
  concerns: ReadonlyMap<string, ConcernDeclaration>,
): PathType | Problem {
  const [root, name = '', ...rest] = path.split('.');
  if (root === 'concerns') {
    const concern = rest.length === 0 ? concerns.get(name) : undefined;
    const names = [...concerns.keys()].map((each) => `concerns.${each}`);
    return concern === undefined ? undeclared(path, names) : typeOfConcern(concern);
  }
  if (root === 'primitive') {
    if (name === 'annotations' && rest.length === 1) return { type: 'anything' };
    if (name === 'meta' && keysOf(path).slice(2).join('') !== '') return { type: 'anything' };
    const known = FIELDS.get([name, ...rest].join('.'));
    const names = [...FIELDS.keys()].map((each) => `primitive.${each}`);
    return known ?? undeclared(path, [...names, ...HINT_DEFAULTS.keys()]);
  }
  if (path === 'caller.scopes') return { type: 'list' };
  if (root === 'claims' && name !== '') return { type: 'anything' };
  if (root === 'client' && name === 'capabilities') return { type: 'anything' };
  if (path === 'protocol.era') return { type: 'text', values: ['legacy', 'modern'] };
  if (readsClientName(path)) return { type: 'text' };
  return undeclared(path, ['concerns', 'primitive', 'claims', ...CALLER]);
}

function typeOfConcern({ values, multiple }: ConcernDeclaration): PathType {
  if ('min' in values) return { type: 'number' };
  return multiple === true ? { type: 'list', values } : { type: 'text', values };
}

function undeclared(path: string, known: readonly string[]): Problem {
  const roots = ` A rule can read ${listNames(['concerns.<name>', 'primitive.<field>', 'claims.<name>', ...CALLER])}.`;
  return problem('unknown-path', { path, hint: didYouMean(path, known) || roots });
}
