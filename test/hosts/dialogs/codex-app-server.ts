import { read } from '../../../src/core/wire/messages.js';
import type { DialogKind } from './dialog.js';
import { jsonLines } from './json-lines.js';

/** The protocol by which editors use Codex. */
export const codexAppServer = (start: DialogKind['start']): DialogKind => ({
  name: 'codex app-server',
  start,
  open: async (running, { work, formAnswer }) => {
    const peer = jsonLines(running, (method) =>
      method.includes('licitation')
        ? { action: formAnswer === undefined ? 'cancel' : 'accept', content: formAnswer ?? null }
        : { decision: 'accept' },
    );
    await peer.request('initialize', { clientInfo: { name: 'measurement', title: null, version: '1' } });
    peer.notify('initialized', {});
    const begin = async (): Promise<unknown> => {
      const params = { cwd: work, approvalPolicy: 'never', sandbox: 'danger-full-access' };
      return read(await peer.request('thread/start', params), 'thread', 'id');
    };
    let threadId = await begin();
    return {
      say: async (text) => {
        const completed = peer.next('turn/completed');
        await peer.request('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] });
        await completed;
      },
      newConversation: async () => {
        threadId = await begin();
      },
    };
  },
});
