import type { PanelState, PanelValue } from '../gate/panel/panel-document.js';
import type { Change } from './source.js';

/**
 * Moves the switches at once, before the server answers. A radio button that jumps back until the answer arrives looks
 * broken. Counts and lists stay as they are.
 *
 * @param state the document before the change
 * @param change the change
 * @returns the document with the values in effect as they will be
 * @example
 * moveSwitches(state, { security: 'high' });
 */
export function moveSwitches(state: PanelState, change: Change): PanelState {
  const preset = state.presets.find(({ name }) => name === change.preset);
  const values: Change = preset?.preferences ?? change;
  const concerns = state.concerns.map((concern) => {
    if (concern.setBy === 'operator') return concern;
    if (preset === undefined && !(concern.name in values)) return concern;
    // The person decides now, so what the model chose no longer applies.
    const { model: _model, origin: _origin, added: _added, ...rest } = concern;
    return { ...rest, inEffect: valuesOf(values[concern.name]) };
  });
  const isActive = (preferences: Change): boolean =>
    concerns.every(
      ({ name, setBy, inEffect }) =>
        setBy === 'operator' || valuesOf(preferences[name]).join() === inEffect.join(),
    );
  return {
    ...state,
    concerns,
    presets: state.presets.map((each) => ({ ...each, active: isActive(each.preferences) })),
  };
}

const isValue = (value: unknown): value is PanelValue =>
  typeof value === 'string' || typeof value === 'number';

const valuesOf = (value: unknown): PanelValue[] => [value].flat().filter(isValue);
