import { useEffect, useState } from 'preact/hooks';
import type { PanelState } from '../protocol/concerns/panel-document.js';
import { Concerns } from './concerns.js';
import { Header } from './header.js';
import { moveSwitches } from './optimistic.js';
import { Presets } from './presets.js';
import { PrimitiveList } from './primitive-list.js';
import type { Change, Source } from './source.js';
import { countOf } from './words.js';

/** The page: what is shown, the switches, and every primitive with the reason for its decision. */
export function App({ source }: { readonly source: Source }) {
  const [state, setState] = useState<PanelState>();
  const [problem, setProblem] = useState('');
  const [pending, setPending] = useState(0);
  useEffect(() => {
    source.start({
      state: (next) => {
        setState(next);
        setProblem('');
      },
      problem: setProblem,
    });
  }, [source]);
  if (state === undefined) return <Waiting problem={problem} />;

  const change = async (wanted: Change): Promise<void> => {
    setPending((count) => count + 1);
    setState((before) => (before === undefined ? before : moveSwitches(before, wanted)));
    try {
      await source.change(wanted, state.session);
    } catch (cause) {
      setState(state);
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
    setPending((count) => count - 1);
  };
  const { shown, total, items, readOnly, warnings } = state;
  const visible = items.filter((item) => item.shown).length;
  const list = <PrimitiveList state={state} change={change} />;
  return (
    <main class={source.kind} aria-busy={pending > 0}>
      <Header state={state} choose={source.choose} />
      {problem !== '' && (
        <p role="alert" class="notice bad">
          {problem}
        </p>
      )}
      {readOnly !== undefined && <p class="notice">{readOnly}</p>}
      {warnings.length > 0 && (
        <ul class="notice">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <Presets state={state} change={change} />
      <Concerns state={state} change={change} />
      {source.kind === 'app' ? (
        <details class="fold">
          <summary>
            {visible} shown, {items.length - visible} hidden
          </summary>
          {list}
        </details>
      ) : (
        list
      )}
      <p class="unseen" role="status">
        {pending === 0 ? `${shown.tools} of ${countOf(total.tools, 'tool')} shown` : ''}
      </p>
    </main>
  );
}

function Waiting({ problem }: { readonly problem: string }) {
  return (
    <main class="waiting" aria-busy={problem === ''}>
      <h1>Concerns</h1>
      {problem === '' ? (
        <p>Waiting for the server…</p>
      ) : (
        <p role="alert" class="notice bad">
          {problem}
        </p>
      )}
    </main>
  );
}
