import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { VaultError } from './vault-error.js';

export type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;
export type Reply = Record<string, unknown>;

/** Changes nothing, so that calling it once more changes nothing either. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Adds something, each time anew. */
export const ADDS: ToolAnnotations = { ...READS, readOnlyHint: false, idempotentHint: false };

/** Adds something; the same call once more adds nothing. */
export const ADDS_ONCE: ToolAnnotations = { ...ADDS, idempotentHint: true };

/** Takes something away or overwrites it; the same call once more finds nothing left to do. */
export const DESTROYS: ToolAnnotations = { ...ADDS_ONCE, destructiveHint: true };

/** Turns an operation of the vault into a tool handler: its reply as JSON, its failure as an answer to act on. */
export function replying<Args>(
  operation: (args: Args, extra: ToolExtra) => Reply | Promise<Reply>,
): (args: Args, extra: ToolExtra) => Promise<CallToolResult> {
  return async (args, extra) => {
    try {
      return success(await operation(args, extra));
    } catch (error) {
      return failure(error);
    }
  };
}

export function success(reply: Reply): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(reply) }], structuredContent: reply };
}

/** Only errors of the vault speak for themselves; what others say could quote what must not leave. */
export function failure(error: unknown): CallToolResult {
  const text =
    error instanceof VaultError
      ? error.message
      : 'The operation failed for an unexpected reason; check the arguments and try once more.';
  return { content: [{ type: 'text', text }], isError: true };
}

/** Sends a notification that belongs to the call, and does not let a closed connection spoil the call. */
export async function notify(extra: ToolExtra, notification: ServerNotification): Promise<void> {
  try {
    await extra.sendNotification(notification);
  } catch {
    // The work is done all the same; there is only nobody left to hear of it.
  }
}

/** Records are listed as resources, so whoever listed them learns that the list changed. */
export function notifyRecordsChanged(extra: ToolExtra): Promise<void> {
  return notify(extra, { method: 'notifications/resources/list_changed' });
}
