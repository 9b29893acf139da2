import type { Kind } from '../../engine/policy.js';
import { ACCESS_METHODS, eraOf, METHODS, type Request, read } from '../messages/wire.js';

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
export const KINDS_OF: Readonly<Record<RequestTarget['type'], readonly Kind[]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/** Returns whether `enforce` checks a request. `resources/subscribe` exists in the legacy era only. */
export function needsAccessCheck(request: Request): boolean {
  if (request.method === ACCESS_METHODS.subscribe && eraOf(request) === 'modern') return false;
  return (Object.values(ACCESS_METHODS) as readonly string[]).includes(request.method);
}

/**
 * Finds the primitives that a request names.
 *
 * @param request any request
 * @returns the targets: several for `subscriptions/listen`, none if the request names no primitive
 */
export function targetsOf(request: Request): readonly RequestTarget[] {
  const { method, params } = request;
  switch (method) {
    case ACCESS_METHODS.call:
      return targetAt(params, 'tool', ['name']);
    case ACCESS_METHODS.get:
      return targetAt(params, 'prompt', ['name']);
    case ACCESS_METHODS.read:
    case ACCESS_METHODS.subscribe:
      return targetAt(params, 'uri', ['uri']);
    case ACCESS_METHODS.complete:
      return read(params, 'ref', 'type') === 'ref/prompt'
        ? targetAt(params, 'prompt', ['ref', 'name'])
        : targetAt(params, 'uri', ['ref', 'uri']);
    case METHODS.listen: {
      const path = ['notifications', 'resourceSubscriptions'];
      const uris = read(params, ...path);
      return Array.isArray(uris)
        ? uris.flatMap((_, index) => targetAt(params, 'uri', [...path, String(index)]))
        : [];
    }
    default:
      return [];
  }
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
