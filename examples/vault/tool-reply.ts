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

/** For tools that change nothing. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** For tools that add something with each call. */
export const ADDS: ToolAnnotations = { ...READS, readOnlyHint: false, idempotentHint: false };

/** For tools that add something. The same call again adds nothing. */
export const ADDS_ONCE: ToolAnnotations = { ...ADDS, idempotentHint: true };

/** For tools that delete or overwrite something. The same call again has no further effect. */
export const DESTROYS: ToolAnnotations = { ...ADDS_ONCE, destructiveHint: true };

/** Converts an operation of the vault to a tool handler. It returns replies as JSON, and errors as tool errors. */
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

/** Returns a tool error. Only messages of vault errors are included, because others could contain secrets. */
export function failure(error: unknown): CallToolResult {
  const text =
    error instanceof VaultError
      ? error.message
      : 'The operation failed for an unexpected reason; check the arguments and try once more.';
  return { content: [{ type: 'text', text }], isError: true };
}

/** Sends a notification that belongs to the call. A closed connection does not make the call fail. */
export async function notify(extra: ToolExtra, notification: ServerNotification): Promise<void> {
  try {
    await extra.sendNotification(notification);
  } catch {
    // The client has disconnected. The operation itself has succeeded.
  }
}

/** Announces that the list of resources changed, because records are resources. */
export function notifyRecordsChanged(extra: ToolExtra): Promise<void> {
  return notify(extra, { method: 'notifications/resources/list_changed' });
}
