import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PanelItem, PanelState } from '../gate/panel/panel-document.js';
import { Choice } from './choice.js';
import type { Change } from './source.js';
import { changeText, countOf, formatNumber, reasonOf } from './words.js';

const KINDS = [
  ['tools', 'Tools'],
  ['prompts', 'Prompts'],
  ['resources', 'Resources'],
  ['resourceTemplates', 'Resource templates'],
] as const;

type Filter = 'all' | 'shown' | 'hidden';

interface ListProps {
  readonly state: PanelState;
  change(change: Change): void;
  /** Goes to what the policy says about an item; `undefined` if the policy says nothing. Only on pages for authors. */
  readonly sourceOf?: ((item: PanelItem) => (() => void) | undefined) | undefined;
}

/** Every primitive that preferences can show, the reason for its decision, and the change that reverses it. */
export function PrimitiveList({ state, change, sourceOf }: ListProps) {
  const { items, withheld } = state;
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const found = useMemo(() => search(items, query, filter), [items, query, filter]);
  const shown = items.filter((item) => item.shown).length;
  return (
    <section class="list" aria-label="Tools, prompts and resources">
      <div class="bar">
        <Search query={query} setQuery={setQuery} />
        <Choice
          name="filter"
          legend={<span class="unseen">Which to list</span>}
          noun="items"
          values={[filter]}
          choose={([next = 'all']) => setFilter(next)}
          options={[
            { value: 'all', label: 'all', count: items.length },
            { value: 'shown', label: 'shown', count: shown },
            { value: 'hidden', label: 'hidden', count: items.length - shown },
          ]}
        />
      </div>
      {KINDS.map(([kind, title]) => {
        const own = found.filter((item) => item.kind === kind);
        if (own.length === 0) return null;
        return (
          <div key={kind}>
            <div class="head">
              <h2>{title}</h2>
              <small>
                {own.filter((item) => item.shown).length} of {own.length} shown
              </small>
              {kind === 'tools' && (
                <small class="unit" aria-hidden="true">
                  tokens
                </small>
              )}
            </div>
            <ul>
              {own.map((item) => (
                <Row key={item.name} item={item} state={state} change={change} sourceOf={sourceOf} />
              ))}
            </ul>
          </div>
        );
      })}
      {found.length === 0 && (
        <p class="none">
          {items.length === 0
            ? 'The server has not listed anything yet.'
            : `Nothing ${filter === 'all' ? '' : `${filter} `}matches${query === '' ? '' : ` “${query}”`}.`}
        </p>
      )}
      {withheld > 0 && <p class="none">The operator hides {countOf(withheld, 'more item')} from you.</p>}
    </section>
  );
}

function search(items: readonly PanelItem[], query: string, filter: Filter): PanelItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ name, title = '', description = '', shown }) => {
    if (filter !== 'all' && shown !== (filter === 'shown')) return false;
    const text = `${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function Search({ query, setQuery }: { readonly query: string; setQuery(query: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && target.matches('input[type=search], textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      aria-label="Search names and descriptions"
      placeholder="Search"
      value={query}
      onInput={(event) => setQuery(event.currentTarget.value)}
    />
  );
}

function Row({ item, state, change, sourceOf }: ListProps & { readonly item: PanelItem }) {
  const { name, shown, tokens, kind, after } = item;
  const open = sourceOf?.(item);
  const reversal = state.readOnly === undefined ? item.change : undefined;
  return (
    <li class={shown ? 'shown' : 'hidden'}>
      <span class="mark" aria-hidden="true" />
      <span class="unseen">{shown ? 'Shown:' : 'Hidden:'}</span>
      <span class="name" dir="auto">
        {open === undefined ? (
          name
        ) : (
          <button type="button" class="link" onClick={open}>
            <span class="unseen">Go to the line of </span>
            {name}
          </button>
        )}
      </span>
      <span class="reason" dir="auto">
        {reasonOf(item, state.concerns)}
      </span>
      {kind === 'tools' && (
        <span class="tokens">
          {formatNumber(tokens)}
          <span class="unseen"> tokens</span>
        </span>
      )}
      {reversal !== undefined && (
        <button type="button" onClick={() => change(reversal)}>
          <span class="unseen">Show {name}: </span>
          {changeText(reversal)}
          {after !== undefined && <small> → {countOf(after, 'tool')}</small>}
        </button>
      )}
    </li>
  );
}
