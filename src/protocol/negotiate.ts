import type { Concern, Policy } from '../engine/policy.js';
import { EXTENSION_ID, METHODS, read } from './wire.js';

/**
 * Adds the declaration to the result of `initialize`: in `capabilities.extensions`, which SDK clients keep, and
 * literally as the proposal in `capabilities.concerns`, which they drop.
 *
 * @param result the server's result
 * @param policy the policy whose concerns are declared
 * @param updatable whether `updateConcerns` has a place to keep preferences in
 * @returns the result with the declaration
 */
export function declareConcerns(
  result: Record<string, unknown>,
  policy: Policy,
  updatable: boolean,
): Record<string, unknown> {
  const methods = [METHODS.listConcerns, ...(updatable ? [METHODS.updateConcerns] : [])];
  const extensions = read(result, 'capabilities', 'extensions');
  return {
    ...result,
    capabilities: {
      ...(read(result, 'capabilities') as object | undefined),
      extensions: {
        ...(extensions as object | undefined),
        [EXTENSION_ID]: { ...describePolicy(policy), methods },
      },
      concerns: policy.concerns.map(({ name, description, values, default: fallback }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        values,
        ...(fallback === undefined ? {} : { default: fallback }),
      })),
    },
  };
}

/** @returns the result of `listConcerns`: the declared concerns in the policy's order, and the presets */
export function describePolicy(policy: Policy): { concerns: object[]; presets: object } {
  return {
    concerns: policy.concerns.map(describeConcern),
    presets: Object.fromEntries(
      [...policy.presets].map(([name, values]) => [name, Object.fromEntries(values)]),
    ),
  };
}

function describeConcern({
  name,
  description,
  values,
  default: fallback,
  match,
  multiple,
  setBy,
}: Concern): object {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    values,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(match === ('min' in values ? 'at-most' : 'exact') ? {} : { match }),
    ...(multiple ? { multiple } : {}),
    ...(setBy === 'operator' ? { setBy } : {}),
  };
}

/**
 * What a host asks for in `initialize`: `params.concerns` as the proposal says, or in the client's extension
 * capabilities, which is what SDK clients can send.
 */
export function concernsOfInitialize(params: unknown): unknown {
  return read(params, 'concerns') ?? read(params, 'capabilities', 'extensions', EXTENSION_ID, 'concerns');
}
