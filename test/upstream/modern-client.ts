import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { bridge } from '../../src/proxy/isolation.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';

/** The part of a server that reads messages. `lines` handles the message `m`, and `send` answers. */
export const child = (lines: string) =>
  new ChildTransport(process.execPath, [
    '-e',
    `const send = (m) => console.log(JSON.stringify({ jsonrpc: '2.0', ...m }));
    const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    let started = false;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const m = JSON.parse(line);
      ${lines}
    });`,
  ]);

export const envelope = (capabilities: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

export type Answer = {
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
};

/** Sends one modern request of a caller, with a server of its own as over HTTP. */
export async function ask(
  bridged: ReturnType<typeof bridge>,
  sub: string | undefined,
  method: string,
  params: object = {},
  capabilities: object = { elicitation: { form: {} } },
  told: (notification: { params?: Record<string, unknown> | undefined }) => void = () => undefined,
): Promise<Answer> {
  const authInfo = sub === undefined ? undefined : { token: 't', clientId: 'c', scopes: [], extra: { sub } };
  const server = await bridged.make({ era: 'modern', authInfo });
  return new Promise((resolve) => {
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      send: async (message) => {
        if (!('method' in message)) resolve(message as Answer);
        else if (!('id' in message)) told(message);
      },
    };
    const request = {
      jsonrpc: '2.0' as const,
      id: 1,
      method,
      params: {
        ...params,
        _meta: { ...('_meta' in params ? Object(params._meta) : {}), ...envelope(capabilities) },
      },
    };
    void server.connect(transport).then(() => transport.onmessage?.(request));
  });
}
