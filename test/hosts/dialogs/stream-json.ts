import { read } from '../../../src/core/wire/messages.js';
import type { DialogKind } from './dialog.js';

/** Claude Code and Qwen Code read the messages of the person from stdin, as JSON. */
export const streamJson = (start: DialogKind['start']): DialogKind => ({
  name: 'messages on stdin',
  start,
  open: async (running) => {
    let done = (): void => undefined;
    running.onLine((line) => {
      if (line.startsWith('{') && read(JSON.parse(line), 'type') === 'result') done();
    });
    const ended = running.ended.then(({ code, stderr }) => {
      throw new Error(`The host ended with ${code}: ${stderr.slice(-400)}`);
    });
    // Handled where it matters: by everything that waits.
    ended.catch(() => undefined);
    const say = async (text: string): Promise<void> => {
      const answered = new Promise<void>((resolve) => {
        done = resolve;
      });
      const message = { role: 'user', content: [{ type: 'text', text }] };
      running.write(JSON.stringify({ type: 'user', session_id: '', parent_tool_use_id: null, message }));
      await Promise.race([answered, ended]);
    };
    return { say, newConversation: () => say('/clear') };
  },
});
