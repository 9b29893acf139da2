import { claimName } from '../../core/engine/claims.js';
import type { ConcernValues, Policy } from '../../core/engine/policy.js';
import { Choice } from '../page/choice.js';
import type { Values } from './document.js';
import { writtenPaths } from './program.js';

interface ClaimsProps {
  readonly policy: Policy;
  readonly claims: Values;
  change(claims: Values): void;
}

/** What the operator grants, a claim for each concern that only the operator sets; and a field for what rules read. */
export function Claims({ policy, claims, change }: ClaimsProps) {
  const granted = policy.concerns.filter(({ setBy }) => setBy === 'operator');
  const fields: Field[] = [
    ...granted.map((concern) => ({
      ...concern,
      note: `claim ${claimName(concern.claim ?? concern.name)}, set by the operator`,
    })),
    ...writtenPaths(policy).map((name) => ({ name, note: aboutPath(name) })),
  ];
  if (fields.length === 0) return null;
  const set = (name: string, value: Values[string]): void => {
    const { [name]: _before, ...others } = claims;
    change(value === null ? others : { ...others, [name]: value });
  };
  return (
    <section class="concerns" aria-label="Claims">
      {fields.map((field) => (
        <div key={field.name} class="card">
          <Claim {...field} value={claims[field.name] ?? null} set={(value) => set(field.name, value)} />
        </div>
      ))}
    </section>
  );
}

function aboutPath(path: string): string {
  if (path.startsWith('client.')) return 'how the client names itself';
  return path === 'caller.scopes' ? 'separated by blanks' : 'text or JSON';
}

interface Field {
  readonly name: string;
  readonly note: string;
  readonly description?: string;
  /** Any text without it. */
  readonly values?: ConcernValues;
  readonly multiple?: boolean;
}

interface ClaimProps extends Field {
  readonly value: Values[string];
  set(value: Values[string]): void;
}

function Claim({ name, note, description, values, multiple = false, value, set }: ClaimProps) {
  const legend = (
    <>
      <span class="name" dir="auto">
        {name}
      </span>
      <small> {note}</small>
      {description !== undefined && <span class="about">{description}</span>}
    </>
  );
  if (values === undefined || 'min' in values) {
    const read = (text: string) => (values === undefined ? text : Number(text));
    return (
      <fieldset>
        <legend>{legend}</legend>
        <input
          {...(values === undefined ? {} : { ...values, type: 'number', step: 'any' })}
          aria-label={name}
          value={String(value ?? '')}
          onInput={({ currentTarget: { value: text } }) => set(text === '' ? null : read(text))}
        />
      </fieldset>
    );
  }
  const options = values.map((each) => ({ value: each, label: each }));
  const given = [value ?? []].flat().map(String);
  return (
    <Choice
      name={`claim ${name}`}
      legend={legend}
      multiple={multiple}
      options={multiple ? options : [...options, { value: null, label: 'no claim' }]}
      values={multiple ? given : [given[0] ?? null]}
      choose={(next) => {
        const chosen = next.filter((each) => each !== null);
        set(multiple && chosen.length > 0 ? chosen : (chosen[0] ?? null));
      }}
    />
  );
}
