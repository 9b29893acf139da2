import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PanelItem, PanelState } from '../../core/gate/panel/panel-document.js';
import { Choice } from './choice.js';
import { FEW, type Group, groupsOf } from './groups.js';
import { Row, type RowProps } from './row.js';
import { type Change, UNSWITCHED } from './source.js';
import { Switch } from './switch.js';
import { countOf, formatNumber } from './words.js';

type Filter = 'all' | 'shown' | 'hidden';

/** How many rows of a group are drawn at first, and with each click on the button below them. */
const WINDOW = 50;

type ListProps = Omit<RowProps, 'item'>;

/** Every primitive that preferences can show, the reason for its decision, and the changes that reverse it. */
export function PrimitiveList(props: ListProps) {
  const { state, change } = props;
  const { items, withheld, missing = [] } = state;
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const found = useMemo(() => search(items, query, filter), [items, query, filter]);
  const groups = useMemo(() => groupsOf(state, found), [state, found]);
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
      <Alone state={state} change={change} />
      {groups.map((group) => (
        <Section
          key={group.title}
          {...props}
          group={group}
          isFolded={groups.length > 1 && items.length > FEW && query === ''}
          canFold={items.length > FEW}
          search={`${query} ${filter}`}
        />
      ))}
      {missing.map((sentence) => (
        <p key={sentence} class="none off">
          {sentence}
        </p>
      ))}
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

/** Says that single tools were switched, and takes that back. */
function Alone({ state, change }: { readonly state: PanelState; change(change: Change): void }) {
  const alone = state.items.filter((item) => item.alone);
  const shown = alone.filter((item) => item.shown).length;
  const hidden = alone.length - shown;
  if (alone.length === 0) return null;
  const isLocked = state.readOnly !== undefined || (state.onlyNarrows !== undefined && hidden > 0);
  return (
    <p class="alone">
      You switched single tools: {formatNumber(shown)} shown, {formatNumber(hidden)} hidden.{' '}
      <button type="button" disabled={isLocked} onClick={() => change(UNSWITCHED)}>
        Undo<span class="unseen"> all switches of single tools</span>
      </button>
    </p>
  );
}

interface SectionProps extends ListProps {
  readonly group: Group;
  /** Whether it is folded until a person opens it. */
  readonly isFolded: boolean;
  readonly canFold: boolean;
  /** What was searched: another search begins with the first rows. */
  readonly search: string;
}

function Section({ group, isFolded, canFold, search, ...rest }: SectionProps) {
  const [isOpen = !isFolded, setOpen] = useState<boolean>();
  const { title, items } = group;
  const tools = items.filter(({ kind }) => kind === 'tools');
  const shown = items.filter((item) => item.shown);
  const tokens = shown.reduce((sum, item) => sum + item.tokens, 0);
  const { state, change } = group.switch ?? {};
  return (
    <div class={isOpen ? 'group open' : 'group'}>
      <div class="head">
        <h2 dir="auto">
          {canFold ? (
            <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {title}
            </button>
          ) : (
            title
          )}
        </h2>
        <small>
          {shown.length} of {items.length}
          <span class="wide"> shown</span>
        </small>
        <small class="unit">{tools.length > 0 && countOf(tokens, 'token')}</small>
        {state !== undefined && (
          <Switch
            label={`Show ${title}`}
            isOn={state === 'on'}
            isMixed={state === 'mixed'}
            disabled={rest.state.readOnly !== undefined || change === undefined}
            flip={() => change !== undefined && rest.change(change)}
          />
        )}
      </div>
      {isOpen && <Rows key={search} items={items} {...rest} />}
    </div>
  );
}

function Rows({ items, ...rest }: ListProps & { readonly items: readonly PanelItem[] }) {
  const [limit, setLimit] = useState(WINDOW);
  const more = items.length - limit;
  return (
    <>
      <ul>
        {items.slice(0, limit).map((item) => (
          <Row key={`${item.kind} ${item.name}`} item={item} {...rest} />
        ))}
      </ul>
      {more > 0 && (
        <button type="button" class="more" onClick={() => setLimit(limit + WINDOW)}>
          Show {formatNumber(Math.min(more, WINDOW))} of {formatNumber(more)} more
        </button>
      )}
    </>
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
