import type { Kind } from '../../engine/policy.js';
import { type Request, read } from '../../wire/messages.js';
import { split } from '../../wire/server-names.js';
import { nameIn } from '../table/routes.js';

/** A primitive that a request names. */
export interface RequestTarget {
  readonly type: 'tool' | 'prompt' | 'uri';
  /** The name or URI. */
  readonly name: string;
  /** Where it is in the params. */
  readonly path: readonly string[];
}

type Params = Readonly<Record<string, unknown>>;

/** The lists that decide whether a target is shown. */
export const KINDS_OF: Readonly<Record<RequestTarget['type'], readonly [Kind, ...Kind[]]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/**
 * Finds the primitive that a request names.
 *
 * @param request any request
 * @returns the target; `undefined` if the request names no primitive
 */
export function targetOf({ method, params }: Request): RequestTarget | undefined {
  const found = nameIn(method, params);
  const name = found && read(params, ...found.path);
  // Each member by name: a spread before the name costs a microsecond.
  return found && typeof name === 'string' ? { type: found.type, path: found.path, name } : undefined;
}

/** Returns which of several servers the target of a request belongs to, and what that server calls it. */
export const insideOfTarget = ({
  type,
  name = '',
}: Pick<RequestTarget, 'type'> & { readonly name?: string }) => split(name, type === 'uri' ? '+' : '__');

/**
 * Replaces the name of a target.
 *
 * @param params the params of the request
 * @param target a target of the request
 * @param name the name or URI to write in its place
 * @returns a copy of the params; the given ones do not change
 */
export const withName = (params: Params, { path }: Pick<RequestTarget, 'path'>, name: string): Params =>
  withValue(params, path, name) as Params;

function withValue(value: unknown, [key, ...rest]: readonly string[], replacement: string): unknown {
  if (key === undefined) return replacement;
  return { ...(value as object), [key]: withValue(read(value, key), rest, replacement) };
}
