import type { ComponentChildren } from 'preact';
import type { PanelConcern } from '../../core/gate/panel/panel-document.js';
import type { Change } from './source.js';
import { Switch } from './switch.js';
import { afterClick, type TreeRow } from './tree-values.js';
import { countOf, formatNumber } from './words.js';

interface TreeProps {
  readonly concern: PanelConcern;
  readonly rows: readonly TreeRow[];
  readonly legend: ComponentChildren;
  readonly disabled: boolean;
  change(change: Change): void;
}

/** One row per server with its switch, its count and its tokens. Its topics are below, closed unless one is chosen. */
export function Tree({ concern, rows, legend, disabled, change }: TreeProps) {
  const { name, inEffect } = concern;
  const click = (value: string, row: TreeRow): void => {
    const next = afterClick(inEffect, value, row);
    change({ [name]: next.length > 0 ? next : null });
  };
  return (
    <fieldset class="tree" disabled={disabled}>
      <legend>{legend}</legend>
      {rows.map((row) => {
        const { option, below } = row;
        const isOn = inEffect.includes(option.value);
        const chosen = below.filter(({ value }) => inEffect.includes(value));
        const face = (
          <>
            <span dir="auto">{option.value}</span>{' '}
            <small>
              {countOf(option.tools, 'tool')} · {formatNumber(option.tokens)}
              <span class="unseen"> tokens</span>
            </small>
          </>
        );
        return (
          <div class={option.tools === 0 ? 'branch empty' : 'branch'} key={option.value}>
            {/* Beside the summary, not in it: a screen reader reads a summary as one button. */}
            <Switch
              label={`${name} ${option.value}`}
              isOn={isOn}
              isMixed={!isOn && chosen.length > 0}
              disabled={option.widens === true}
              flip={() => click(option.value, row)}
            />
            {below.length === 0 ? (
              <div>{face}</div>
            ) : (
              <details open={chosen.length > 0}>
                <summary>{face}</summary>
                {below.map(({ value, description, tools, tokens, widens }) => (
                  <label key={value} class={tools === 0 ? 'empty' : ''}>
                    <input
                      type="checkbox"
                      checked={isOn || inEffect.includes(value)}
                      disabled={widens}
                      onChange={() => click(value, row)}
                    />{' '}
                    <span dir="auto">{value.slice(option.value.length + 1)}</span>{' '}
                    <small>
                      {countOf(tools, 'tool')} · {formatNumber(tokens)}
                    </small>
                    {description !== undefined && (
                      <span class="about" dir="auto">
                        {description}
                      </span>
                    )}
                  </label>
                ))}
              </details>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
