import type { ComponentChildren } from 'preact';
import type { PanelValue } from '../gate/panel/panel-document.js';

/** One option of a choice. */
export interface ChoiceOption<T> {
  readonly value: T;
  readonly label: string;
  readonly description?: string | undefined;
  /** How many of something the option gives, for example 12 tools. */
  readonly count?: number | undefined;
}

interface ChoiceProps<T> {
  readonly name: string;
  readonly legend: ComponentChildren;
  readonly options: readonly ChoiceOption<T>[];
  readonly disabled?: boolean;
  readonly noun?: string;
}

/** Radio buttons of the browser: arrow keys, focus and forced colors work as everywhere. */
export function Choice<T extends PanelValue | null>({
  value,
  choose,
  ...props
}: ChoiceProps<T> & { readonly value: T | undefined; choose(value: T): void }) {
  return <Options {...props} type="radio" isOn={(each) => each === value} toggle={(each) => choose(each)} />;
}

/** Checkboxes of the browser, for a concern that takes several values. */
export function Choices<T extends PanelValue | null>({
  values,
  choose,
  ...props
}: ChoiceProps<T> & { readonly values: readonly T[]; choose(values: readonly T[]): void }) {
  const toggle = (value: T): void =>
    choose(values.includes(value) ? values.filter((each) => each !== value) : [...values, value]);
  return <Options {...props} type="checkbox" isOn={(each) => values.includes(each)} toggle={toggle} />;
}

function Options<T extends PanelValue | null>({
  name,
  legend,
  options,
  disabled = false,
  noun = 'tools',
  type,
  isOn,
  toggle,
}: ChoiceProps<T> & {
  readonly type: 'radio' | 'checkbox';
  isOn(value: T): boolean;
  toggle(value: T): void;
}) {
  return (
    <fieldset disabled={disabled}>
      <legend>{legend}</legend>
      <div class={`options ${type}`}>
        {options.map(({ value, label, description, count }) => (
          <label key={String(value)} title={description}>
            <input type={type} name={name} checked={isOn(value)} onChange={() => toggle(value)} />
            <span class="face">
              <span dir="auto">{label}</span>
              {count !== undefined && (
                <small>
                  {count}
                  <span class="unseen"> {noun}</span>
                </small>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
