import type { Verified } from '../../engine/claims.js';
import { type Caller, resolveConfiguration } from '../../engine/configuration.js';
import { decide, missingScopes } from '../../engine/evaluate.js';
import { identityOf, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/full-client-capabilities.js';
import { type Row, table } from '../terminal/layout.js';
import { type Paper, plain } from '../terminal/output.js';

/**
 * Names for each hidden tool the scopes that show it.
 *
 * @param policy the policy
 * @param tools the tools of the server
 * @param callers whom the tools are hidden from, by name
 * @param paper where the text will be written
 * @returns a table for each caller who lacks a scope; empty if no scope shows a tool
 * @example
 * scopesText(policy, tools, new Map([['token.json', caller]]), terminal.paper);
 */
export function scopesText(
  policy: Policy,
  tools: readonly Primitive[],
  callers: ReadonlyMap<string, Verified>,
  paper: Paper,
): string {
  const tables = [...callers].map(([name, verified]) => {
    const known: Caller = { ...verified, capabilities: FULL_CLIENT_CAPABILITIES, era: 'legacy' };
    const configuration = resolveConfiguration(policy, [], known);
    const rows = tools.flatMap((tool): Row[] => {
      const mapping = mapPrimitive(policy, 'tools', tool);
      const scopes = missingScopes(mapping, configuration);
      if (scopes.length === 0) return [];
      const granted = { ...known, scopes: [...(known.scopes ?? []), ...scopes] };
      const isShown = decide(mapping, resolveConfiguration(policy, [], granted)).effect === 'show';
      return isShown ? [[plain(identityOf('tools', tool)), plain(scopes.join(' ')), '']] : [];
    });
    const head = `Scopes that show tools to ${name}:`;
    return rows.length === 0 ? '' : `${[head, ...table(rows, paper)].join('\n')}\n\n`;
  });
  return tables.join('');
}
