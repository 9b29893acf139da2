import { fromNumber, involvedIn } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { PrimitivePair } from './change.js';
import { concernOf, type Policies, type RequestDimension } from './request-space.js';

/** Whether a rule about the kind reads what the dimension chooses. */
const isRead = ({ rules }: Policy, kind: Kind, { type, name, key }: RequestDimension): boolean => {
  const path = type === 'fact' ? `claims.${key}` : `concerns.${name}`;
  return rules.some(({ kinds, paths }) => kinds.includes(kind) && paths.includes(path));
};

/** Whether a policy has a default for the concern, which can be in effect without a request. */
export const hasDefault = (policy: Policy, { name }: RequestDimension): boolean =>
  concernOf(policy, name)?.default !== undefined;

/** Whether the primitive has values for the dimension, or a rule about its kind reads it, in either policy. */
export function isRelevant(
  policies: Policies,
  { kind, mappings }: PrimitivePair,
  dimension: RequestDimension,
): boolean {
  const { type, name } = dimension;
  return policies.some((policy, at) => {
    const mapping = mappings[at];
    const setBy = type === 'host' ? 'host' : 'operator';
    if (mapping === undefined || (type !== 'fact' && concernOf(policy, name)?.setBy !== setBy)) return false;
    const index = policy.indexOf.get(name) ?? -1;
    const isValued = involvedIn(mapping).some(({ offers }) => offers[index] !== undefined);
    return isValued || isRead(policy, kind, dimension);
  });
}

/** Whether the dimension only hides primitives whose values do not match: no rule about the kind reads it. */
export const isFilter = (policies: Policies, { kind }: PrimitivePair, dimension: RequestDimension): boolean =>
  dimension.type !== 'other-concern' && !policies.some((policy) => isRead(policy, kind, dimension));

/** Whether the concern only filters, and it and the values of the primitive for it are the same in both policies. */
export function isUnchanged(policies: Policies, pair: PrimitivePair, dimension: RequestDimension): boolean {
  const { mappings } = pair;
  if (mappings.includes(undefined) || !isFilter(policies, pair, dimension)) return false;
  const [before, after] = policies.map((policy, at) => {
    const index = policy.indexOf.get(dimension.name) ?? -1;
    const own = policy.concerns[index];
    const { description: _, valueDescriptions: __, ...concern } = own ?? {};
    const mapping = mappings[at];
    const offered = (mapping === undefined ? [] : involvedIn(mapping)).map(
      ({ offers }) => own && offers[index]?.offered.map((each) => fromNumber(own, each)).toSorted(),
    );
    return JSON.stringify([concern, offered]);
  });
  return before === after;
}
