import type { Kind } from '../../engine/policy.js';
import { type Request, read } from '../../wire/messages.js';
import { namesIn } from '../table/routes.js';

/** A primitive that a request names. */
export interface RequestTarget {
  readonly type: 'tool' | 'prompt' | 'uri';
  /** The name or URI. */
  readonly name: string;
  /** Returns the params with another name in the place of this one. */
  withName(params: Params, name: string): Params;
}

type Params = Readonly<Record<string, unknown>>;

/** The lists that decide whether a target is shown. */
export const KINDS_OF: Readonly<Record<RequestTarget['type'], readonly [Kind, ...Kind[]]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/**
 * Finds the primitives that a request names.
 *
 * @param request any request
 * @returns the targets: several for `subscriptions/listen`, none if the request names no primitive
 */
export function targetsOf({ method, params }: Request): readonly RequestTarget[] {
  return namesIn(method, params).flatMap(({ type, path }) => targetAt(params, type, path));
}

function targetAt(
  params: Params | undefined,
  type: RequestTarget['type'],
  path: readonly string[],
): readonly RequestTarget[] {
  const name = read(params, ...path);
  return typeof name === 'string'
    ? [{ type, name, withName: (given, other) => withValue(given, path, other) as Params }]
    : [];
}

function withValue(value: unknown, [key, ...rest]: readonly string[], replacement: string): unknown {
  if (key === undefined) return replacement;
  const inner = withValue(read(value, key), rest, replacement);
  return Array.isArray(value)
    ? value.with(Number(key), inner)
    : { ...(value as Record<string, unknown>), [key]: inner };
}
