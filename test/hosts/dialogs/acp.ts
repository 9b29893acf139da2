import { read } from '../../../src/core/wire/messages.js';
import { listOf } from '../dialects/dialect.js';
import type { Start } from '../host.js';
import type { DialogKind } from './dialog.js';
import { jsonLines } from './json-lines.js';

/** Editors start hosts by the Agent Client Protocol: https://agentclientprotocol.com */
export const acp = (start: DialogKind['start'] | Start): DialogKind => ({
  name: 'Agent Client Protocol',
  start: typeof start === 'function' ? start : () => start,
  open: async (running, { work }) => {
    const peer = jsonLines(running, (method, params) => {
      if (method !== 'session/request_permission') return {};
      const options = listOf(read(params, 'options'));
      const allowed = options.find((option) => String(read(option, 'kind')).startsWith('allow'));
      return { outcome: { outcome: 'selected', optionId: read(allowed, 'optionId') } };
    });
    await peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
    });
    const begin = async (): Promise<unknown> =>
      read(await peer.request('session/new', { cwd: work, mcpServers: [] }), 'sessionId');
    let sessionId = await begin();
    return {
      say: async (text) =>
        void (await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })),
      newConversation: async () => {
        sessionId = await begin();
      },
    };
  },
});
