import type { PanelCount, PanelState } from '../gate/panel/panel-document.js';
import { countOf, formatNumber } from '../page/words.js';

interface Row extends PanelCount {
  readonly name: string;
  readonly isNow?: boolean;
}

/** The tokens of what each configuration shows, as bars: without preferences, now, each preset, each single value. */
export function Costs({ state, estimated }: { readonly state: PanelState; readonly estimated: boolean }) {
  const { presets, shown, everything, total, concerns } = state;
  const rows: Row[] = [
    { name: 'everything', ...everything },
    { name: 'now', ...shown, isNow: true },
    ...presets,
  ];
  const values = concerns.flatMap(({ name, options = [] }) =>
    options.flatMap(({ value, tools, tokens }): Row[] =>
      value === null ? [] : [{ name: `${name}: ${value}`, tools, tokens }],
    ),
  );
  return (
    <section class="costs card" aria-label="Tokens">
      <Bars
        caption={`Tokens per configuration${estimated ? ' (about)' : ''}`}
        rows={rows}
        of={total.tokens}
      />
      {values.length > 0 && (
        <details>
          <summary>With each value in place of the present one</summary>
          <Bars caption="Tokens per value" rows={values} of={total.tokens} hideCaption />
        </details>
      )}
    </section>
  );
}

function Bars({
  caption,
  rows,
  of,
  hideCaption = false,
}: {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly of: number;
  readonly hideCaption?: boolean;
}) {
  return (
    <table class="bars">
      <caption class={hideCaption ? 'unseen' : ''}>{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Configuration</th>
          <th scope="col">Tokens</th>
          <th scope="col">Tools</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, tools, tokens, isNow }) => (
          <tr key={name} class={isNow === true ? 'now' : ''}>
            <th scope="row" dir="auto">
              {name}
            </th>
            <td class="amount">
              <div>
                <span class="track" aria-hidden="true">
                  <span style={{ width: `${of === 0 ? 0 : (100 * tokens) / of}%` }} />
                </span>
                <span>{formatNumber(tokens)}</span>
              </div>
            </td>
            <td>{countOf(tools, 'tool')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
