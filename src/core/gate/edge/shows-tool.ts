import { ACCESS_METHODS, type Answer, type Failure, type Request } from '../../wire/messages.js';
import { configure, type Sender } from '../request/configure.js';
import { readStored } from '../request/kept-preferences.js';
import { toolIsShown } from '../tasks/visible-tasks.js';
import { Exchange, type ExchangeGate } from './exchange.js';
import { gather } from './gather.js';

/**
 * Returns whether the sender of a message that the server received is shown a tool, under `enforce`. Servers that run
 * tasks ask this, because a request about a task does not name the task's tool.
 *
 * @param gate the gate of the connection
 * @param message a request, or a client's response to a request of the server
 */
export async function showsTool(
  gate: ExchangeGate,
  name: string,
  message: Request | Answer | Failure,
  sender: Sender,
): Promise<boolean> {
  if (!gate.state.isEnforced) return true;
  const pending = gate.ledger.find(message.id);
  if (pending !== undefined) return gather(pending, toolIsShown(pending.configuration, name));
  // Its id is never sent. A response of the client has no params.
  const params = 'params' in message ? message.params : undefined;
  const own: Request = { jsonrpc: '2.0', id: 0, method: ACCESS_METHODS.call, ...(params && { params }) };
  const exchange = new Exchange(gate, own, sender, undefined);
  const kept = await readStored(exchange);
  exchange.configured(configure(exchange, kept, { meta: true }), []);
  return gather(exchange, toolIsShown(exchange.configuration, name));
}
