import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { Concerns } from './concerns.js';
import { Header, Totals } from './header.js';
import { moveSwitches } from './move-switches.js';
import { Notices } from './notices.js';
import { Presets } from './presets.js';
import { PrimitiveList } from './primitive-list.js';
import { Proposal } from './proposal.js';
import type { Change, Source } from './source.js';
import { countOf } from './words.js';

/** A change that the server has not answered. A document that arrives meanwhile does not know of it. */
interface Pending {
  readonly session: string;
  readonly wanted: Change;
}

/** The page: what is shown, the switches, and every primitive with the reason for its decision. */
export function App({ source }: { readonly source: Source }) {
  const [received, setReceived] = useState<PanelState>();
  const [problem, setProblem] = useState('');
  const [pending, setPending] = useState<readonly Pending[]>([]);
  useEffect(() => {
    source.start({
      state: (next) => {
        setReceived(next);
        setProblem('');
      },
      problem: setProblem,
    });
  }, [source]);
  const state = useMemo(
    () =>
      received &&
      pending
        .filter((each) => each.session === received.session)
        .reduce((before, { wanted }) => moveSwitches(before, wanted), received),
    [received, pending],
  );
  if (state === undefined)
    return (
      <main class="waiting" aria-busy={problem === ''}>
        <h1>Concerns</h1>
        {problem === '' && <p>Waiting for the server…</p>}
        <Problem text={problem} />
      </main>
    );

  const { session } = state;
  const tell = (cause: unknown): void => setProblem(cause instanceof Error ? cause.message : String(cause));
  const change = async (wanted: Change): Promise<void> => {
    const mine = { session, wanted };
    setPending((all) => [...all, mine]);
    await source.change(wanted, session).catch(tell);
    setPending((all) => all.filter((each) => each !== mine));
  };
  const { answer } = source;
  const [asked] = state.sessions.flatMap(({ id, client, proposal }) =>
    proposal === undefined || answer === undefined ? [] : [{ id, client, proposal, answer }],
  );
  const { shown, total, items, readOnly, onlyNarrows, missing = [] } = state;
  const visible = items.filter((item) => item.shown).length;
  const list = <PrimitiveList state={state} change={change} />;
  return (
    <main class={source.kind} aria-busy={pending.length > 0}>
      {/* The first stop of the Tab key: with many tools, a person begins by looking for one. */}
      {source.kind !== 'app' && (
        <button type="button" class="unseen skip" onClick={focusSearch}>
          Go to the search
        </button>
      )}
      {asked !== undefined && (
        <Proposal
          key={asked.proposal.id}
          {...asked}
          answer={(isAllowed) => void asked.answer(asked.proposal.id, isAllowed, asked.id).catch(tell)}
        />
      )}
      <Header state={state} choose={source.choose} />
      <Totals state={state} />
      <Problem text={problem} />
      {readOnly !== undefined && <p class="notice">{readOnly}</p>}
      {onlyNarrows !== undefined && <p class="notice">{onlyNarrows}</p>}
      {/* The list has those about missing servers. */}
      <Notices texts={state.warnings.filter((warning) => !missing.includes(warning))} />
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
        {pending.length === 0 ? `${shown.tools} of ${countOf(total.tools, 'tool')} shown` : ''}
      </p>
    </main>
  );
}

/** The fragment of the address is the key of the page, so a link to the field would lose it. */
const focusSearch = (): void => document.querySelector<HTMLElement>('.list input[type=search]')?.focus();

const Problem = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <p role="alert" class="notice bad">
      {text}
    </p>
  );
