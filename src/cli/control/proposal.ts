import { randomUUID } from 'node:crypto';
import type { PanelProposal, PanelState } from '../../core/gate/panel/panel-document.js';

/** As many names as a person reads before a click. */
const MAX_NAMES = 12;

/**
 * Describes a change that a program asks for, for the person who decides about it.
 *
 * @param before the document of the session
 * @param after the document that it would have after the change
 * @returns what becomes of values, and what would be shown that is hidden now
 * @example
 * proposalOf(before, after).changes; // [{ concern: 'effect', from: ['read-only'], to: [] }]
 */
export function proposalOf(before: PanelState, after: PanelState): PanelProposal {
  const shown = new Set(before.items.flatMap((item) => (item.shown ? `${item.kind} ${item.name}` : [])));
  const more = after.items.filter((item) => item.shown && !shown.has(`${item.kind} ${item.name}`));
  const tools = more.filter(({ kind }) => kind === 'tools');
  const changes = after.concerns.flatMap(({ name, inEffect: to }, index) => {
    const { inEffect: from = [] } = before.concerns[index] ?? {};
    return String(from) === String(to) ? [] : [{ concern: name, from, to }];
  });
  return {
    id: randomUUID(),
    changes,
    tools: tools.length,
    names: tools.slice(0, MAX_NAMES).map(({ name }) => name),
    others: more.length - tools.length,
  };
}
