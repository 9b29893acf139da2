import type { PanelConcern, PanelItem, PanelPreferences } from '../../core/gate/panel/panel-document.js';

const numbers = new Intl.NumberFormat('en');

/** @returns a number with separators, for example `1,414` */
export const formatNumber = (value: number): string => numbers.format(value);

/** @returns for example `1 tool` or `12 tools` */
export const countOf = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatNumber(value)} ${value === 1 ? noun : plural}`;

/** What a definition that is not the pinned one is. */
const WARNINGS: Readonly<Record<NonNullable<PanelItem['definition']>, string>> = {
  changed: 'Its definition changed since it was reviewed.',
  new: 'Nobody has reviewed its definition.',
};

/**
 * @param item a primitive
 * @param concerns the concerns of the document
 * @returns why it is hidden, as a sentence; its description if it is shown
 * @example
 * reasonOf(item, state.concerns); // 'Its access is write. You prefer read.'
 */
export function reasonOf(
  { shown, reason, definition, description: text = '', alone, left = [] }: PanelItem,
  concerns: readonly PanelConcern[],
): string {
  const description = left.length === 0 ? text : `Left: ${left.join(', ')}. ${text}`;
  if (reason.code === 'rule' && !shown) return reason.reason ?? `The rule "${reason.rule}" hides it.`;
  if (alone === true) return shown ? `You show this tool by itself. ${description}` : 'You hide this tool.';
  if (reason.code === 'unmapped') return 'The policy does not map it.';
  if (reason.code === 'argument') return 'No value is left of an argument that every call needs.';
  if (reason.code !== 'concern-mismatch')
    return definition === undefined ? description : `${WARNINGS[definition]} ${description}`;
  const { concern, preferred, actual } = reason;
  const has = `Its ${concern} is ${actual.join(' or ')}.`;
  if (preferred.length === 0) return `${has} The operator has not granted it to you.`;
  const declared = concerns.find(({ name }) => name === concern);
  const who =
    reason.origin === 'model'
      ? 'The model chose'
      : declared?.setBy === 'operator'
        ? 'The operator allows'
        : 'You prefer';
  return `${has} ${who} ${boundOf(declared)}${preferred.join(' or ')}.`;
}

/** @returns the words before a value that is a bound */
export const boundOf = (concern: PanelConcern | undefined): string =>
  concern?.match === 'at-least' ? 'at least ' : concern?.match === 'at-most' ? 'at most ' : '';

/**
 * @param change a change of preferences
 * @returns for example `access: write, cost: any`
 */
export const changeText = (change: PanelPreferences): string =>
  Object.entries(change)
    .map(([name, value]) => `${name}: ${value === null ? 'any' : [value].flat().join(', ')}`)
    .join(', ');

/** Where values in effect come from. */
const ORIGINS: ReadonlyMap<string, string> = new Map([
  ['request', 'from the request'],
  ['model', 'chosen by the model'],
  ['principal', 'from your saved preferences'],
  ['capabilities', 'from the host'],
  ['header', 'from the host’s header'],
  ['url', 'from the host’s URL'],
  ['client', 'by default for this host'],
  ['default', 'by default'],
  ['claim', 'from your sign-in'],
  ['no-claim', 'not granted'],
  ['unmatched-claim', 'not granted: your sign-in has another value'],
  ['several-claims', 'not granted: your sign-in has several values'],
  ['forgotten', 'lost with the session'],
]);

/** @returns where a value comes from, unless the person chose it */
export function originText(origin: string | undefined): string | undefined {
  if (origin === undefined || origin === 'session' || origin === 'update') return undefined;
  const [source = '', , preset] = origin.split(' ');
  return (ORIGINS.get(source) ?? source) + (preset === undefined ? '' : ` (${preset})`);
}
