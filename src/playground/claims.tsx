import type { Concern, Policy } from '../engine/policy.js';
import { Choice } from '../page/choice.js';
import type { Values } from './document.js';

/** What the operator grants: a claim for each concern that only the operator sets. */
export function Claims({
  policy,
  claims,
  change,
}: {
  readonly policy: Policy;
  readonly claims: Values;
  change(claims: Values): void;
}) {
  const concerns = policy.concerns.filter(({ setBy }) => setBy === 'operator');
  if (concerns.length === 0) return null;
  const set = (claim: string, value: Values[string]): void => {
    const { [claim]: _before, ...others } = claims;
    change(value === null ? others : { ...others, [claim]: value });
  };
  return (
    <section class="concerns" aria-label="Claims">
      {concerns.map((concern) => (
        <div key={concern.name} class="card">
          <Claim concern={concern} value={claims[concern.claim ?? ''] ?? null} set={set} />
        </div>
      ))}
    </section>
  );
}

function Claim({
  concern: { name, claim = name, description, values, multiple },
  value,
  set,
}: {
  readonly concern: Concern;
  readonly value: Values[string];
  set(claim: string, value: Values[string]): void;
}) {
  const legend = (
    <>
      <span class="name" dir="auto">
        {name}
      </span>
      <small> claim {claim}, set by the operator</small>
      {description !== undefined && <span class="about">{description}</span>}
    </>
  );
  if ('min' in values) {
    return (
      <fieldset>
        <legend>{legend}</legend>
        <input
          type="number"
          aria-label={name}
          min={values.min}
          max={values.max}
          step="any"
          value={typeof value === 'number' ? value : ''}
          onInput={({ currentTarget }) =>
            set(claim, currentTarget.value === '' ? null : Number(currentTarget.value))
          }
        />
      </fieldset>
    );
  }
  const options = values.map((each) => ({ value: each, label: each }));
  const given = typeof value === 'object' && value !== null ? value.map(String) : [];
  return (
    <Choice
      name={`claim ${claim}`}
      legend={legend}
      multiple={multiple}
      options={multiple ? options : [...options, { value: null, label: 'no claim' }]}
      values={multiple ? given : [typeof value === 'string' ? value : null]}
      choose={(next) => {
        const chosen = next.filter((each) => each !== null);
        set(claim, multiple && chosen.length > 0 ? chosen : (chosen[0] ?? null));
      }}
    />
  );
}
