import type { Transport as ClientTransportV2 } from '@modelcontextprotocol/client';
import type { AuthInfo as AuthInfoV1 } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { WebStandardStreamableHTTPServerTransport as HttpV1 } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import {
  type AuthInfo as AuthInfoV2,
  WebStandardStreamableHTTPServerTransport as HttpV2,
} from '@modelcontextprotocol/server';
import { expectTypeOf, it } from 'vitest';
import type {
  AuthInfo,
  HttpTransportClass,
  JsonRpcMessage,
  MessageExtra,
  Transport,
} from '../../src/core/wire/transport.js';

it('are the types of SDK v1, in both directions', () => {
  expectTypeOf<TransportV1>().toExtend<Transport>();
  expectTypeOf<Transport>().toExtend<TransportV1>();
  expectTypeOf<JSONRPCMessage>().toExtend<JsonRpcMessage>();
  expectTypeOf<JsonRpcMessage>().toExtend<JSONRPCMessage>();
  expectTypeOf<MessageExtraInfo>().toExtend<MessageExtra>();
  expectTypeOf<MessageExtra>().toExtend<MessageExtraInfo>();
  expectTypeOf<AuthInfo>().toEqualTypeOf<AuthInfoV1>();
});

it('take the transports and callers of SDK v2', () => {
  expectTypeOf<ClientTransportV2>().toExtend<Transport>();
  expectTypeOf<AuthInfoV2>().toExtend<AuthInfo>();
});

it('take the transports over HTTP of both SDKs', () => {
  const classes: readonly HttpTransportClass[] = [HttpV1, HttpV2];
  expectTypeOf(classes).items.toExtend<HttpTransportClass>();
});
