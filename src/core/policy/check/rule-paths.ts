import { argumentIn, keysOf, readsClientName } from '../../engine/expression/expression.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { listNames } from '../../engine/match/list-names.js';
import { type Problem, problem } from '../language/problem.js';
import type { ConcernDeclaration, Declared } from './check-values.js';
import { CALLER, HINTS, PRIMITIVE } from './generated/rule-paths.js';

/** The type of the value at a dotted path of a rule, as far as it is known before a request. */
export interface PathType {
  readonly type: 'text' | 'number' | 'list' | 'anything';
  /** The texts that it can be, or contain. */
  readonly values?: readonly string[];
}

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
 * @param declared the declared concerns by name
 * @returns the type of its value; `undefined` if nothing declares the path
 * @example
 * typeOfPath('concerns.security', declared); // { type: 'text', values: ['low', 'high'] }
 */
export function typeOfPath(path: string, declared: ReadonlyMap<string, Declared>): PathType | undefined {
  if (argumentIn(path) !== undefined) return argumentIn(path) === '' ? undefined : { type: 'anything' };
  // Only the names in `_meta` are escaped: anywhere else, nothing has such a name.
  if (path.includes('\\') && !path.startsWith('primitive.meta.')) return undefined;
  const [root, name = '', ...rest] = path.split('.');
  if (root === 'concerns') {
    const concern = rest.length === 0 ? declared.get(name)?.concern : undefined;
    return concern && typeOfConcern(concern);
  }
  if (root === 'primitive') {
    const isAnnotation = name === 'annotations' && rest.length === 1;
    const isMeta = name === 'meta' && keysOf(path).slice(2).join('') !== '';
    return isAnnotation || isMeta ? { type: 'anything' } : FIELDS.get([name, ...rest].join('.'));
  }
  if (path === 'caller.scopes') return { type: 'list' };
  if (path === 'protocol.era') return { type: 'text', values: ['legacy', 'modern'] };
  if (readsClientName(path)) return { type: 'text' };
  const isOpen = (root === 'claims' && name !== '') || (root === 'client' && name === 'capabilities');
  return isOpen ? { type: 'anything' } : undefined;
}

function typeOfConcern({ values, multiple }: ConcernDeclaration): PathType {
  if ('min' in values) return { type: 'number' };
  return { type: multiple === true ? 'list' : 'text', values };
}

/** @returns the problem of a path that nothing declares */
export function undeclaredPath(path: string, concerns: Iterable<string>): Problem {
  const roots = listNames([
    'concerns.<name>',
    'primitive.<field>',
    'arguments.<name>',
    'claims.<name>',
    ...CALLER,
  ]);
  // Other products call the arguments of a call `call.arguments` or `request.params.arguments`.
  const [, argument] = /^[\w.]+\.arguments\.([^.]+)$/.exec(path) ?? [];
  if (argument !== undefined)
    return problem('unknown-path', { path, hint: ` Did you mean "arguments.${argument}"?` });
  const near = didYouMean(path, [...rulePaths(concerns), 'concerns', 'primitive', 'claims']);
  return problem('unknown-path', { path, hint: near || ` A rule can read ${roots}.` });
}
