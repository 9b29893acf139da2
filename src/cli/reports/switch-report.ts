import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { count, type Paper, plain } from '../terminal/output.js';

/**
 * Describes what each session is shown, one line for a session.
 *
 * @param name the server that the process serves
 * @param states the documents of its sessions
 * @param paper where the text will be written
 * @returns the lines
 * @example
 * sessionLines('npx -y some-server', states, paper).join('\n');
 */
export function sessionLines(name: string, states: readonly PanelState[], paper: Paper): string[] {
  if (states.length === 0) return [`${paper.paint('bold', plain(name))}  no host is connected`];
  return states.map((state) => {
    const { session, sessions, shown, total } = state;
    const own = sessions.find(({ id }) => id === session);
    const alone = state.items.filter((item) => item.alone === true).length;
    const parts = [
      paper.paint('bold', plain(own?.client ?? 'host')),
      `${shown.tools} of ${total.tools} tools`,
      `${count(shown.tokens)} of ${count(total.tokens)} tokens`,
      preferencesText(state),
      alone === 0 ? '' : `${alone} switched one by one`,
      typeof own?.relisted === 'boolean' ? RELISTED[`${own.relisted}`] : '',
      paper.paint('dim', plain(`${name} ${session}`)),
    ];
    return parts.filter((part) => part !== '').join('  ');
  });
}

function preferencesText({ concerns, presets }: PanelState): string {
  const preset = presets.find(({ active }) => active);
  const values = concerns
    .filter(({ setBy, inEffect }) => setBy === 'host' && inEffect.length > 0)
    .map(({ name, inEffect }) => `${name}=${inEffect.join(',')}`);
  if (values.length === 0) return 'everything';
  return plain(preset === undefined ? values.join(' ') : `${preset.name} (${values.join(' ')})`);
}

/** Whether the host has listed since the last change. */
const RELISTED = { true: 'listed again', false: 'has not listed again yet' } as const;
