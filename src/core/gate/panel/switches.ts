import type { ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { whyReadOnly } from './how-to-switch.js';
import { panelDocument } from './panel.js';
import type { PanelState } from './panel-document.js';

/**
 * Bytes of a definition per token, on average over the tools of public servers. The tokenizer is larger than the rest of
 * the package, so what is shown in a conversation is an estimate.
 */
const BYTES_PER_TOKEN = 4.2;

const tokensOf = (definition: object): number =>
  Math.round(new TextEncoder().encode(JSON.stringify(definition)).length / BYTES_PER_TOKEN);

/**
 * Computes what a request of the client is shown: its connection is the only session.
 *
 * @param facts the request
 * @param advice for a page that can only show less: how a person can show more
 * @returns the document that the page shows
 */
export function stateOf(facts: Facts, advice?: string): ResponseSteps<PanelState> {
  const session = {
    id: 'this',
    client: 'this host',
    via: facts.sender.http === undefined ? ('stdio' as const) : ('http' as const),
    relisted: facts.connection.relisted,
  };
  const readOnly = whyReadOnly(facts);
  return panelDocument(facts, {
    session: session.id,
    sessions: [session],
    tokensOf,
    // Pages ignore documents that are older than the one that they show. Processes share no counter.
    revision: Date.now(),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(advice === undefined || readOnly !== undefined ? {} : { advice }),
  });
}
