import type { ComponentChildren } from 'preact';
import type { PanelConcern, PanelState } from '../../core/gate/panel/panel-document.js';
import { Choice } from './choice.js';
import type { Change } from './source.js';
import { Tree } from './tree.js';
import { treeOf } from './tree-values.js';
import { boundOf, originText } from './words.js';

interface ConcernProps {
  readonly concern: PanelConcern;
  readonly disabled: boolean;
  change(change: Change): void;
}

/** More concerns than these are folded: each shows its value, and opens to be changed. */
const MANY = 4;

/** A switch for each concern. */
export function Concerns({ state, change }: { readonly state: PanelState; change(change: Change): void }) {
  const { concerns, readOnly, onlyNarrows } = state;
  return (
    <section class="concerns" aria-label="Concerns">
      {concerns.map((concern) => (
        <Card key={concern.name} concern={concern} isFolded={concerns.length > MANY}>
          {concern.setBy === 'operator' ? (
            <Granted concern={concern} />
          ) : concern.range === undefined ? (
            <Values concern={concern} disabled={readOnly !== undefined} change={change} />
          ) : (
            <Range concern={concern} disabled={readOnly !== undefined} change={change} />
          )}
          <Narrowed concern={concern} disabled={(readOnly ?? onlyNarrows) !== undefined} change={change} />
        </Card>
      ))}
    </section>
  );
}

interface CardProps {
  readonly concern: PanelConcern;
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}

function Card({ concern, isFolded, children }: CardProps) {
  if (!isFolded) return <div class="card">{children}</div>;
  const { name, inEffect, setBy, origin } = concern;
  const none = setBy === 'operator' ? 'nothing granted' : origin === 'forgotten' ? 'choose again' : 'any';
  return (
    <details class="card">
      <summary>
        <span class="name" dir="auto">
          {name}
        </span>
        <span class={inEffect.length === 0 ? 'value' : 'value chosen'} dir="auto">
          {inEffect.length === 0 ? none : `${boundOf(concern)}${inEffect.join(', ')}`}
        </span>
      </summary>
      {children}
    </details>
  );
}

/**
 * What a model hides beside the person's own value, and the tools that it added. To choose the own value again takes a button:
 * it is chosen already.
 */
function Narrowed({ concern, disabled, change }: ConcernProps) {
  const { name, model = [], origin, inEffect, multiple, added = [] } = concern;
  const narrows = model.length > 0 && origin !== 'model';
  if (!narrows && added.length === 0) return null;
  const own = multiple ? inEffect : (inEffect[0] ?? null);
  return (
    <p class="about">
      {narrows && `The model narrows this to ${boundOf(concern)}${model.join(' or ')}. `}
      {added.length > 0 && `The model also shows ${added.join(', ')}. `}
      <button type="button" disabled={disabled} onClick={() => change({ [name]: own })}>
        Undo<span class="unseen"> what the model chose for {name}</span>
      </button>
    </p>
  );
}

function Legend({ concern }: { readonly concern: PanelConcern }) {
  const origin = originText(concern.origin);
  const bound = boundOf(concern).trim();
  return (
    <>
      <span class="name" dir="auto">
        {concern.name}
      </span>
      {bound !== '' && <small> {bound}</small>}
      {origin !== undefined && <small class="origin"> {origin}</small>}
      {concern.description !== undefined && (
        <span class="about" dir="auto">
          {concern.description}
        </span>
      )}
    </>
  );
}

function Values({ concern, disabled, change }: ConcernProps) {
  const { name, multiple, inEffect, origin, options = [], match } = concern;
  const rows = multiple && match === 'within' ? treeOf(options) : [];
  if (rows.length > 0)
    return (
      <Tree
        concern={concern}
        rows={rows}
        legend={<Legend concern={concern} />}
        disabled={disabled}
        change={change}
      />
    );
  // Nothing is chosen, so a click on any value chooses.
  const chosen = multiple || origin === 'forgotten' ? inEffect : [inEffect[0] ?? null];
  const faces = options.map(({ value, description, tools, widens }) => ({
    value,
    label: value === null ? 'any' : String(value),
    description,
    count: tools,
    disabled: widens,
  }));
  return (
    <Choice
      name={`concern ${name}`}
      legend={<Legend concern={concern} />}
      disabled={disabled}
      multiple={multiple}
      options={multiple ? faces.filter(({ value }) => value !== null) : faces}
      values={chosen}
      choose={(next) => change({ [name]: multiple && next.length > 0 ? next : (next[0] ?? null) })}
    />
  );
}

/** The number of steps of a range: enough for a finger, and each step is a round part of the range. */
const STEPS = 100;

function Range({ concern, disabled, change }: ConcernProps) {
  const { name, inEffect, match, reach, range = { min: 0, max: 1 } } = concern;
  const { min, max } = reach ?? range;
  const [value] = inEffect;
  const open = match === 'at-least' ? min : max;
  return (
    <fieldset disabled={disabled}>
      <legend>
        <Legend concern={concern} />
      </legend>
      <div class="range">
        <input
          type="range"
          aria-label={name}
          min={min}
          max={max}
          step={(range.max - range.min) / STEPS}
          value={value ?? open}
          onChange={(event) => change({ [name]: Number(event.currentTarget.value) })}
        />
        <output>{value ?? 'any'}</output>
        {value !== undefined && (
          <button type="button" disabled={reach !== undefined} onClick={() => change({ [name]: null })}>
            any<span class="unseen"> {name}</span>
          </button>
        )}
      </div>
    </fieldset>
  );
}

function Granted({ concern }: { readonly concern: PanelConcern }) {
  const { inEffect } = concern;
  return (
    <div class="granted">
      <p class="legend">
        <Legend concern={concern} />
      </p>
      <p class="values">
        {inEffect.length === 0 ? 'nothing granted' : inEffect.join(', ')}
        <small>set by the operator</small>
      </p>
    </div>
  );
}
