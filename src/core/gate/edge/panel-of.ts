import { type Panel, panelDocument, switchTo } from '../panel/panel.js';
import type { Exchange } from './exchange.js';
import { gather } from './gather.js';

/**
 * Returns the switches of a connection, for a page outside the conversation.
 *
 * @param latest returns the latest request, under the policy in force: the gate lists and switches on its behalf
 */
export const panelOf = (latest: () => Exchange): Panel => ({
  state: async (surroundings) => {
    const exchange = latest();
    return gather(exchange, panelDocument(exchange, surroundings));
  },
  change: async (change, advice) => {
    const exchange = latest();
    return gather(exchange, switchTo(exchange, change, advice === undefined, advice));
  },
});
