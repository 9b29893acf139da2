import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { Choice } from './choice.js';
import { type Change, UNSWITCHED } from './source.js';

/** The value of the option that removes every preference. No preset has this name: names are not empty. */
const EVERYTHING = '';

/** One choice for several concerns at once. */
export function Presets({ state, change }: { readonly state: PanelState; change(change: Change): void }) {
  const { presets, concerns, everything, readOnly } = state;
  const host = concerns.filter(({ setBy }) => setBy === 'host');
  if (host.length === 0) return null;
  const open = host.every(({ inEffect }) => inEffect.length === 0);
  const active = presets.filter((each) => each.active).map(({ name }) => name);
  const none = { ...Object.fromEntries(host.map(({ name }) => [name, null])), ...UNSWITCHED };
  return (
    <section class="presets" aria-label="Presets">
      <Choice
        name="preset"
        legend="Preset"
        disabled={readOnly !== undefined}
        values={open ? [EVERYTHING] : active.slice(0, 1)}
        options={[...presets, { ...everything, name: EVERYTHING }].map(({ name, tools, widens }) => ({
          value: name,
          label: name || 'everything',
          count: tools,
          disabled: widens,
        }))}
        choose={([name]) => change(name === EVERYTHING ? none : { preset: name })}
      />
    </section>
  );
}
