import { claimName } from '../engine/claims.js';
import type { Concern, Policy } from '../engine/policy.js';
import { Choice } from '../page/choice.js';
import type { Values } from './document.js';
import { writtenPaths } from './program.js';

/** What the operator grants, a claim for each concern that only the operator sets; and a field for what rules read. */
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
  const paths = writtenPaths(policy);
  if (concerns.length === 0 && paths.length === 0) return null;
  const set = (name: string, value: Values[string]): void => {
    const { [name]: _before, ...others } = claims;
    change(value === null ? others : { ...others, [name]: value });
  };
  return (
    <section class="concerns" aria-label="Claims">
      {concerns.map((concern) => (
        <div key={concern.name} class="card">
          <Claim concern={concern} value={claims[concern.name] ?? null} set={set} />
        </div>
      ))}
      {paths.map((path) => (
        <fieldset key={path} class="card">
          <legend>
            <span class="name">{path}</span> <small>{aboutPath(path)}</small>
          </legend>
          <input
            aria-label={path}
            value={String(claims[path] ?? '')}
            onInput={({ currentTarget }) => set(path, currentTarget.value || null)}
          />
        </fieldset>
      ))}
    </section>
  );
}

function aboutPath(path: string): string {
  if (path.startsWith('client.')) return 'how the client names itself';
  return path === 'caller.scopes' ? 'separated by blanks' : 'text or JSON';
}

function Claim({
  concern: { name, claim = name, description, values, multiple },
  value,
  set,
}: {
  readonly concern: Concern;
  readonly value: Values[string];
  set(name: string, value: Values[string]): void;
}) {
  const legend = (
    <>
      <span class="name" dir="auto">
        {name}
      </span>
      <small> claim {claimName(claim)}, set by the operator</small>
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
            set(name, currentTarget.value === '' ? null : Number(currentTarget.value))
          }
        />
      </fieldset>
    );
  }
  const options = values.map((each) => ({ value: each, label: each }));
  const given = typeof value === 'object' && value !== null ? value.map(String) : [];
  return (
    <Choice
      name={`claim ${name}`}
      legend={legend}
      multiple={multiple}
      options={multiple ? options : [...options, { value: null, label: 'no claim' }]}
      values={multiple ? given : [typeof value === 'string' ? value : null]}
      choose={(next) => {
        const chosen = next.filter((each) => each !== null);
        set(name, multiple && chosen.length > 0 ? chosen : (chosen[0] ?? null));
      }}
    />
  );
}
