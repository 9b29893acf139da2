import type { PanelItem, PanelState } from '../../core/gate/panel/panel-document.js';
import type { Change } from './source.js';
import { Switch } from './switch.js';
import { changeText, countOf, formatNumber, reasonOf } from './words.js';

/** What a row, and the list around it, gets. */
export interface RowProps {
  readonly item: PanelItem;
  readonly state: PanelState;
  change(change: Change): void;
  /** Goes to what the policy says about an item; `undefined` if the policy says nothing. Only on pages for authors. */
  readonly sourceOf?: ((item: PanelItem) => (() => void) | undefined) | undefined;
}

/** One primitive. A tool has a switch of its own, where the person can switch it. */
export function Row({ item, state, change, sourceOf }: RowProps) {
  const { name, shown, tokens, kind, after } = item;
  const open = sourceOf?.(item);
  const { readOnly, onlyNarrows, classes } = state;
  const reversal = readOnly === undefined ? item.change : undefined;
  const canShow = onlyNarrows === undefined && classes[item.of]?.always !== 'hidden';
  // A host does not send the names of tools, so an author gets no switches.
  const isSwitched =
    kind === 'tools' && readOnly === undefined && sourceOf === undefined && (shown || canShow);
  return (
    <li class={shown ? 'shown' : 'hidden'}>
      {isSwitched ? (
        <Switch
          label={`Show ${name}`}
          isOn={shown}
          flip={() => change({ [shown ? '-tools' : '+tools']: [name] })}
        />
      ) : (
        <>
          <span class="mark" aria-hidden="true" />
          <span class="unseen">{shown ? 'Shown:' : 'Hidden:'}</span>
        </>
      )}
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
      <span class="tokens">
        {kind === 'tools' && (
          <>
            {formatNumber(tokens)}
            <span class="unseen"> tokens</span>
          </>
        )}
      </span>
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
