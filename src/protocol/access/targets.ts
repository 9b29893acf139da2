import type { Kind } from '../../engine/policy.js';
import { eraOf, METHODS, REACHES, type Request, read } from '../messages/wire.js';

/** One name that a request reaches for. */
export interface Target {
  readonly by: 'tool' | 'prompt' | 'uri';
  readonly name: string;
  /** @returns the same params with another name in the very place where this one stands */
  put(params: Params, name: string): Params;
}

type Params = Readonly<Record<string, unknown>>;

/** The lists that tell whether a target is shown. */
export const KINDS_OF: Readonly<Record<Target['by'], readonly Kind[]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/** Whether a request is guarded under `enforce`. Subscribing by a request of its own is of the legacy era. */
export function isGuarded(request: Request): boolean {
  if (request.method === REACHES.subscribe && eraOf(request) === 'modern') return false;
  return (Object.values(REACHES) as readonly string[]).includes(request.method);
}

/**
 * Finds what a request reaches for.
 *
 * @param request any request
 * @returns its targets: several for a subscription, none for what reaches for nothing, or says no name
 */
export function targetsOf(request: Request): readonly Target[] {
  const { method, params } = request;
  switch (method) {
    case REACHES.call:
      return named(params, 'tool', ['name']);
    case REACHES.get:
      return named(params, 'prompt', ['name']);
    case REACHES.read:
    case REACHES.subscribe:
      return named(params, 'uri', ['uri']);
    case REACHES.complete:
      return read(params, 'ref', 'type') === 'ref/prompt'
        ? named(params, 'prompt', ['ref', 'name'])
        : named(params, 'uri', ['ref', 'uri']);
    case METHODS.listen: {
      const path = ['notifications', 'resourceSubscriptions'];
      const uris = read(params, ...path);
      return Array.isArray(uris)
        ? uris.flatMap((_, index) => named(params, 'uri', [...path, String(index)]))
        : [];
    }
    default:
      return [];
  }
}

function named(params: Params | undefined, by: Target['by'], path: readonly string[]): readonly Target[] {
  const name = read(params, ...path);
  return typeof name === 'string'
    ? [{ by, name, put: (given, other) => withValue(given, path, other) as Params }]
    : [];
}

function withValue(value: unknown, [key, ...rest]: readonly string[], put: string): unknown {
  if (key === undefined) return put;
  const inner = withValue(read(value, key), rest, put);
  return Array.isArray(value)
    ? value.with(Number(key), inner)
    : { ...(value as Record<string, unknown>), [key]: inner };
}
