interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  /** Neither on nor off. */
  readonly isMixed?: boolean;
  readonly disabled?: boolean;
  flip(): void;
}

/** A checkbox of the browser that looks like a switch: the space key, focus and forced colors work as everywhere. */
export function Switch({ label, isOn, isMixed = false, disabled = false, flip }: SwitchProps) {
  return (
    <input
      type="checkbox"
      class="switch"
      aria-label={label}
      checked={isOn}
      disabled={disabled}
      indeterminate={isMixed}
      onChange={flip}
    />
  );
}
