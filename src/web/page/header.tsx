import type { PanelSession, PanelState } from '../../core/gate/panel/panel-document.js';
import { adviceFor } from './host-advice.js';
import type { Source } from './source.js';
import { countOf, formatNumber } from './words.js';

/** The server, and whose list this is. */
export function Header({ state, choose }: { readonly state: PanelState; readonly choose: Source['choose'] }) {
  const { server, session, sessions, uncalled, items } = state;
  const own = sessions.find(({ id }) => id === session);
  return (
    <header>
      <h1 dir="auto">{server.name}</h1>
      {choose !== undefined && sessions.length > 1 ? (
        <label>
          Seen by{' '}
          <select value={session} onChange={(event) => choose(event.currentTarget.value)}>
            {sessions.map((each) => (
              <option key={each.id} value={each.id}>
                {labelOf(each)}
              </option>
            ))}
          </select>
        </label>
      ) : (
        own !== undefined && <p dir="auto">Seen by {labelOf(own)}</p>
      )}
      {uncalled !== undefined && (
        <p>
          {formatNumber(uncalled.tools)} of{' '}
          {countOf(items.filter(({ kind }) => kind === 'tools').length, 'tool')} were never called since{' '}
          {uncalled.since}.
        </p>
      )}
      {typeof own?.relisted === 'boolean' && (
        <p class={own.relisted ? '' : 'stale'}>
          {own.client} {own.relisted ? 'listed again after' : 'has not listed again since'} the last change.{' '}
          {adviceFor(own.client, own.version) ?? (own.relisted ? '' : RECONNECT)}
        </p>
      )}
    </header>
  );
}

const RECONNECT = 'If it does not, reconnect the server in the host.';

const labelOf = ({ client, version, via }: PanelSession): string =>
  `${client}${version === undefined ? '' : ` ${version}`} (${via})`;

/** Names what hides all tools: an empty list is a mistake more often than a success. */
function hiddenBy({ items }: PanelState): string {
  const counts = new Map<string, number>();
  for (const { kind, reason } of items) {
    if (kind !== 'tools') continue;
    const by =
      reason.code === 'concern-mismatch'
        ? reason.concern
        : reason.code === 'rule'
          ? reason.rule
          : 'the policy';
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  const parts = [...counts].map(
    ([by, count], index) => `${by} ${index === 0 ? 'hides ' : ''}${formatNumber(count)}`,
  );
  return parts.join(', ');
}

/** How much of the list is shown. It stays in sight while a person scrolls. */
export function Totals({ state }: { readonly state: PanelState }) {
  const { shown, total } = state;
  const percentage = total.tokens === 0 ? 0 : (100 * shown.tokens) / total.tokens;
  const saved = total.tokens === 0 ? 0 : Math.round(100 - percentage);
  return (
    <div class="totals">
      <p>
        <strong>{formatNumber(shown.tools)}</strong> of {countOf(total.tools, 'tool')}
      </p>
      {/* The native meter cannot be styled in the same way in all browsers. */}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div
        class="meter"
        role="meter"
        aria-label="Tokens of the tools that are shown"
        aria-valuemin={0}
        aria-valuemax={total.tokens}
        aria-valuenow={shown.tokens}
      >
        <div style={{ width: `${percentage}%` }} />
      </div>
      <p class="tokens-shown">
        {formatNumber(shown.tokens)} of {countOf(total.tokens, 'token')}
      </p>
      {shown.tools === 0 && total.tools > 0 ? (
        <p class="stale">{hiddenBy(state)}</p>
      ) : (
        saved > 0 && <p class="saved">{saved}% saved</p>
      )}
    </div>
  );
}
