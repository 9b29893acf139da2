import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META,
  failure,
  METHODS,
  type RequestId,
  read,
  TASKS_EXTENSION,
} from '../../wire/messages.js';

/**
 * Refuses a subscription to tasks of a client that does not declare the Tasks extension, as that extension requires. SDK v2
 * does not know the extension, and answers every subscription here with an internal error.
 *
 * @param body the parsed body of a request
 * @returns the response; `undefined` if the request is not such a subscription
 */
export function refuseTaskSubscription(body: unknown): Response | undefined {
  if (read(body, 'method') !== METHODS.listen) return undefined;
  if (read(body, 'params', 'notifications', 'taskIds') === undefined) return undefined;
  const declared = read(body, 'params', '_meta', CLIENT_CAPABILITIES_META, 'extensions', TASKS_EXTENSION);
  if (declared !== undefined) return undefined;
  const { code, message, data } = new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
  // The cast is safe: SDK v2 reads the body before, and refuses ids of another type.
  const id = (read(body, 'id') ?? null) as RequestId | null;
  return Response.json(failure(id, code, message, data), { status: 400 });
}
