import { leftOutClause } from '../../core/engine/servers/left-out.js';
import type { NamedKind } from '../../core/engine/servers/outside-names.js';
import type { UpstreamOptions } from '../options.js';
import type { AllLeftOut } from './lists-of-one.js';

/**
 * Returns what reports what is left out of the lists of one server: once for all its clients, and again when it is something
 * else.
 *
 * @param upstream the name of the server in events
 */
export function leftOutReporter(
  upstream: string,
  report: UpstreamOptions['report'],
): (kind: NamedKind, found: AllLeftOut) => void {
  const said = new Map<NamedKind, string>();
  return (kind, { first, count }) => {
    const before = said.get(kind);
    if (count === 0 && before === undefined) return;
    const clause = leftOutClause(kind, first, count);
    if (clause === before) return;
    said.set(kind, clause);
    report?.({ upstream, leftOut: `${clause}. Other servers are not affected.` });
  };
}
