import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Message } from '../wire/messages.js';

/** @returns a message as the SDK types it; the cast is safe because both types describe a JSON-RPC message of MCP */
export const toSdk = (message: Message): JSONRPCMessage => message as JSONRPCMessage;

/** @returns a message of the SDK as this package types it; the cast is safe for the same reason */
export const fromSdk = (message: JSONRPCMessage): Message => message as Message;
