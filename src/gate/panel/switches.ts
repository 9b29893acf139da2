import type { Exchange } from '../request/exchange.js';
import { whyReadOnly } from './how-to-switch.js';
import { type PanelChange, panelOf } from './panel.js';
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
 * @param exchange the request
 * @returns the document that the page shows
 */
export function stateOf(exchange: Exchange): Promise<PanelState> {
  const { connection, sender } = exchange;
  const session = {
    id: 'this',
    client: 'this host',
    via: sender.http === undefined ? ('stdio' as const) : ('http' as const),
    relisted: connection.relisted,
  };
  const readOnly = whyReadOnly(exchange);
  return panelFor(exchange).state({
    session: session.id,
    sessions: [session],
    tokensOf,
    // Pages ignore documents that are older than the one that they show. Processes share no counter.
    revision: Date.now(),
    ...(readOnly === undefined ? {} : { readOnly }),
  });
}

/**
 * Makes a change that a person made in the client.
 *
 * @param exchange the request in which the person made it
 * @param change values by concern, or a preset
 */
export async function switchTo(
  exchange: Exchange,
  change: Readonly<Record<string, unknown>>,
): Promise<PanelChange> {
  const outcome = await panelFor(exchange).change(change, exchange.clientId);
  exchange.connection.observer?.changed();
  return outcome;
}

function panelFor(exchange: Exchange) {
  const { connection } = exchange;
  const server = connection.server ?? { name: 'MCP server' };
  return panelOf({ connection, latest: () => exchange, server });
}
