import type { ComponentChildren } from 'preact';
import type { PanelValue } from '../../core/gate/panel/panel-document.js';

/** One option of a choice. */
export interface ChoiceOption<T> {
  readonly value: T;
  readonly label: string;
  readonly description?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** How many of something the option gives, for example 12 tools. */
  readonly count?: number | undefined;
}

interface ChoiceProps<T> {
  readonly name: string;
  readonly legend: ComponentChildren;
  readonly options: readonly ChoiceOption<T>[];
  readonly disabled?: boolean;
  readonly noun?: string;
  /** Whether several values can be chosen. */
  readonly multiple?: boolean;
  readonly values: readonly T[];
  /** Receives all values that are chosen then: one, unless several can be. */
  choose(values: readonly T[]): void;
}

/** Radio buttons or checkboxes of the browser: arrow keys, focus and forced colors work as everywhere. */
export function Choice<T extends PanelValue | null>(props: ChoiceProps<T>) {
  const { name, legend, options, disabled = false, noun = 'tools', multiple = false, values, choose } = props;
  const type = multiple ? 'checkbox' : 'radio';
  const isDescribed = options.some(({ description }) => description !== undefined);
  const toggle = (value: T): void => {
    if (!multiple) return choose([value]);
    choose(values.includes(value) ? values.filter((each) => each !== value) : [...values, value]);
  };
  return (
    <fieldset disabled={disabled}>
      <legend>{legend}</legend>
      <div class={`options ${type}${isDescribed ? ' described' : ''}`}>
        {options.map(({ value, label, description, count, disabled: isDisabled }) => (
          <label key={String(value)}>
            <input
              type={type}
              name={name}
              checked={values.includes(value)}
              disabled={isDisabled}
              onChange={() => toggle(value)}
            />
            <span class="face">
              <span dir="auto">{label}</span>
              {count !== undefined && (
                <small>
                  {count}
                  <span class="unseen"> {noun}</span>
                </small>
              )}
              {description !== undefined && (
                <span class="about" dir="auto">
                  {description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
