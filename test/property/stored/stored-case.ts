import {
  decide,
  KINDS,
  mapPrimitive,
  type Policy,
  type PreferenceSourceName,
  resolveConfiguration,
  type ServerCatalog,
} from '../../../src/core/engine/index.js';

/** What a host and its caller send. */
export interface StoredRequest {
  readonly from: PreferenceSourceName;
  readonly concerns: unknown;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly capabilities?: unknown;
  readonly forgotten?: boolean;
}

/** A policy, requests, and for each request the decisions about all primitives of a catalog. */
export interface StoredCase {
  /** The index of the catalog. */
  readonly catalog: number;
  readonly policy: unknown;
  readonly requests: readonly StoredRequest[];
  readonly decisions: readonly string[];
}

/**
 * Decides about every primitive of a catalog.
 *
 * @returns how many values were rejected, and one character for each primitive: `.` fits, `u` unmapped, `A` the first
 *   concern hides it, `0` the first rule hides it, `a` the first rule shows it
 */
export function decisionsOf(policy: Policy, catalog: ServerCatalog, request: StoredRequest): string {
  const { from, concerns, claims = {}, capabilities, forgotten } = request;
  const configuration = resolveConfiguration(policy, [{ from, concerns }], {
    claims: new Map(Object.entries(claims)),
    capabilities,
    ...(forgotten === undefined ? {} : { forgotten }),
  });
  const decisions = KINDS.flatMap((kind) =>
    (catalog[kind] ?? []).map((primitive) => {
      const { effect, reason } = decide(mapPrimitive(policy, kind, primitive), configuration);
      if (reason === 'fits') return '.';
      if (reason === 'unmapped') return 'u';
      if (reason === 'changed') return 'c';
      if (reason === 'person') return 'p';
      if ('concern' in reason) return String.fromCharCode(65 + reason.concern);
      if ('scopes' in reason || 'argument' in reason) return '?';
      return effect === 'hide' ? String(reason.rule) : String.fromCharCode(97 + reason.rule);
    }),
  );
  return `${configuration.invalid.length} ${decisions.join('')}`;
}
