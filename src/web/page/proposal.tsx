import { useEffect, useRef, useState } from 'preact/hooks';
import type { PanelProposal, PanelValue } from '../../core/gate/panel/panel-document.js';
import { countOf } from './words.js';

interface ProposalProps {
  readonly proposal: PanelProposal;
  readonly client: string;
  answer(isAllowed: boolean): void;
}

/** Milliseconds before a click allows: one that was meant for what the dialog covers must not. */
const READY_MS = 1000;

/** Asks the person about a change that a program asks for. The browser keeps the focus inside; the first button refuses. */
export function Proposal({ proposal, client, answer }: ProposalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    const timer = setTimeout(() => setReady(true), READY_MS);
    return () => {
      clearTimeout(timer);
      // Gives the focus back.
      shown?.close();
    };
  }, []);
  const { changes, tools, names, others } = proposal;
  return (
    <dialog ref={dialog} aria-labelledby="asks" onCancel={() => answer(false)}>
      <h2 id="asks" dir="auto">
        A program asks to show more to {client}
      </h2>
      <ul>
        {changes.map(({ concern, from, to }) => (
          <li key={concern} dir="auto">
            <strong>{concern}</strong>: from {textOf(from)} to <strong>{textOf(to)}</strong>
          </li>
        ))}
      </ul>
      <p dir="auto">
        {countOf(tools, 'more tool')}
        {names.length > 0 && `: ${names.join(', ')}`}
        {tools > names.length && ` and ${tools - names.length} others`}.
        {others > 0 && ` Also ${countOf(others, 'more prompt or resource', 'more prompts and resources')}.`}
      </p>
      <p class="about">Nothing has changed yet. If you do not know why a program asks, refuse it.</p>
      <p class="answers">
        <button type="button" onClick={() => answer(false)}>
          Refuse
        </button>
        <button type="button" disabled={!isReady} onClick={() => answer(true)}>
          Allow
        </button>
      </p>
    </dialog>
  );
}

const textOf = (values: readonly PanelValue[]): string => (values.length === 0 ? 'any' : values.join(', '));
