import type { Concern, Policy } from '../../engine/policy.js';
import {
  CAPABILITIES,
  type Era,
  EXTENSION_ID,
  METHODS,
  membersOf,
  read,
  TASK_FILTER_CAPABILITY,
} from '../../wire/messages.js';
import { FILTER_FIELDS } from '../lists/client-filter.js';
import { concernsOfCapabilities } from '../request/preference-sources.js';

/**
 * Adds the declaration to the result of `initialize` or `server/discover`. Concerns are in `capabilities.extensions`,
 * which SDK clients keep. In the legacy era they are also in `capabilities.concerns`, as in the proposal; SDK clients
 * drop that. The client filters of SEP-2564 and SEP-1904 are declared for the capabilities that the server
 * declares, next to the server's own.
 *
 * @param result the server's result
 * @param policy the policy whose concerns are declared
 * @param era the era of the request
 * @param updatable whether `updateConcerns` works: there is a place to keep preferences
 * @returns the result with the declaration
 * @example
 * declareConcerns({ capabilities: { tools: {} } }, policy, 'modern', true);
 */
export function declareConcerns(
  result: Record<string, unknown>,
  policy: Policy,
  era: Era,
  updatable: boolean,
): Record<string, unknown> {
  const methods = [METHODS.listConcerns, ...(updatable ? [METHODS.updateConcerns] : [])];
  const capabilities = membersOf(read(result, 'capabilities'));
  const own = CAPABILITIES.filter((name) => capabilities[name] !== undefined);
  const filtering = Object.fromEntries(own.map((name) => [name, FILTER_FIELDS[name]]));
  const namespaces = own.map((name) => [name, withFilter(capabilities[name], FILTER_FIELDS[name])]);
  const declared = { ...describePolicy(policy), methods, filtering };
  return {
    ...result,
    capabilities: {
      ...capabilities,
      ...Object.fromEntries(namespaces),
      ...declareTaskFilter(era, capabilities),
      extensions: { ...membersOf(capabilities.extensions), [EXTENSION_ID]: declared },
      ...(era === 'legacy' ? { concerns: policy.concerns.map(asInProposal) } : {}),
    },
  };
}

/**
 * Declares whether the client is told of changes. If it is, the gate announces lists that look different after preferences or
 * the policy changed, also for servers whose own lists never change. If it is not, nothing is left of what only a
 * subscription delivers (MCP 2026-07-28, Subscriptions).
 *
 * @param result the result of `initialize` or `server/discover`
 * @param isTold whether there is a way to deliver notifications of the gate
 * @returns the result with the declaration
 * @example
 * declareChanges({ capabilities: { tools: {} } }, true); // { capabilities: { tools: { listChanged: true } } }
 * declareChanges({ capabilities: { resources: { subscribe: true } } }, false); // { capabilities: { resources: {} } }
 */
export function declareChanges(result: Record<string, unknown>, isTold: boolean): Record<string, unknown> {
  const capabilities = membersOf(read(result, 'capabilities'));
  const declared = CAPABILITIES.filter((name) => capabilities[name] !== undefined).map((name) => {
    const own = membersOf(capabilities[name]);
    const { listChanged: _changed, subscribe: _subscribe, ...rest } = own;
    return [name, isTold ? { ...own, listChanged: true } : rest];
  });
  return { ...result, capabilities: { ...capabilities, ...Object.fromEntries(declared) } };
}

/** Adds the fields that the gate supports to those that the server declares itself. */
function withFilter(capability: unknown, fields: readonly string[]): object {
  const own = membersOf(read(capability, 'filtering'));
  const declared = Array.isArray(own.supported) ? own.supported : [];
  const supported = [...new Set<unknown>([...declared, ...fields])];
  return { ...membersOf(capability), filtering: { ...own, supported } };
}

function declareTaskFilter(era: Era, { tasks }: Record<string, unknown>): object {
  const list = read(tasks, 'list');
  if (era === 'modern' || list === undefined) return {};
  const filter = { ...membersOf(read(list, 'filter')), ...TASK_FILTER_CAPABILITY };
  return { tasks: { ...membersOf(tasks), list: { ...membersOf(list), filter } } };
}

function asInProposal({ name, description, values, valueDescriptions, default: fallback }: Concern): object {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    values,
    // The proposal knows only names, so descriptions are a member of their own.
    ...(valueDescriptions === undefined ? {} : { valueDescriptions }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** Returns the result of `listConcerns`: the declared concerns in the policy's order, and the presets. */
export function describePolicy(policy: Policy): { concerns: object[]; presets: object } {
  const presets = [...policy.presets].map(([name, values]) => [name, Object.fromEntries(values)]);
  return { concerns: policy.concerns.map(describeConcern), presets: Object.fromEntries(presets) };
}

function describeConcern(concern: Concern): object {
  const { values, match, multiple, setBy } = concern;
  return {
    ...asInProposal(concern),
    ...(match === ('min' in values ? 'at-most' : 'exact') ? {} : { match }),
    ...(multiple ? { multiple } : {}),
    ...(setBy === 'operator' ? { setBy } : {}),
  };
}

/**
 * Returns the preferences in the params of `initialize`: `params.concerns` as in the proposal, or those in the client's
 * capabilities.
 */
export const concernsOfInitialize = (params: unknown): unknown =>
  read(params, 'concerns') ?? concernsOfCapabilities(read(params, 'capabilities'));
