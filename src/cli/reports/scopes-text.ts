import type { Verified } from '../../core/engine/claims.js';
import { type Caller, resolveConfiguration } from '../../core/engine/configuration.js';
import { decide, missingScopes } from '../../core/engine/evaluate.js';
import { identityOf, mapPrimitive, type Primitive } from '../../core/engine/mapping.js';
import type { Policy } from '../../core/engine/policy.js';
import { groupBy } from '../../core/once.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { type Row, table } from '../terminal/layout.js';
import type { Paper } from '../terminal/output.js';

/** The scopes that would show a tool to a caller. */
export interface MissingScopes {
  readonly caller: string;
  readonly tool: string;
  readonly scopes: readonly string[];
}

/**
 * Names for each hidden tool the scopes that show it.
 *
 * @param policy the policy
 * @param tools the tools of the server
 * @param callers whom the tools are hidden from, by name
 * @returns one entry for each caller and tool; none for a tool that no scope shows
 * @example
 * scopesOfTools(policy, tools, new Map([['token.json', caller]]));
 */
export function scopesOfTools(
  policy: Policy,
  tools: readonly Primitive[],
  callers: ReadonlyMap<string, Verified>,
): readonly MissingScopes[] {
  return [...callers].flatMap(([caller, verified]) => {
    const known: Caller = { ...verified, capabilities: FULL_CLIENT_CAPABILITIES, era: 'legacy' };
    const configuration = resolveConfiguration(policy, [], known);
    return tools.flatMap((each) => {
      const mapping = mapPrimitive(policy, 'tools', each);
      const scopes = missingScopes(mapping, configuration);
      if (scopes.length === 0) return [];
      const granted = { ...known, scopes: [...(known.scopes ?? []), ...scopes] };
      const isShown = decide(mapping, resolveConfiguration(policy, [], granted)).effect === 'show';
      return isShown ? [{ caller, tool: identityOf('tools', each), scopes }] : [];
    });
  });
}

/** Writes a table for each caller who lacks a scope. */
export function scopesText(found: readonly MissingScopes[], paper: Paper): string {
  const tables = [...groupBy(found, ({ caller }) => caller)].map(([name, own]) => {
    const rows = own.map(({ tool, scopes }): Row => [tool, scopes.join(' '), '']);
    return `${[`Scopes that show tools to ${name}:`, ...table(rows, paper)].join('\n')}\n\n`;
  });
  return tables.join('');
}
