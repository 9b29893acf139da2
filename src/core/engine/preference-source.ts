import { numberOf } from '../exact-json.js';
import { isObject } from './expression/evaluate.js';
import { didYouMean } from './match/did-you-mean.js';
import { listNames } from './match/list-names.js';
import { nearest } from './match/nearest.js';
import { quoted } from './match/quoted.js';
import type { Concern, Policy } from './policy.js';

/**
 * Where a host stated its preferences. `update` is an `updateConcerns` request and `request` is the `_meta` of any other
 * request. `model` is what a model set with the tool `concerns`. `principal` is what a person chose as a verified caller.
 * `capabilities` are the client's, which it sends with each request if there are no sessions. `client` is a default of
 * the policy for clients with that name.
 */
export type PreferenceSourceName =
  | 'update'
  | 'request'
  | 'model'
  | 'session'
  | 'principal'
  | 'capabilities'
  | 'header'
  | 'url'
  | 'client';

/**
 * Where an effective value comes from: a preference source, directly or by a preset that it named; a verified claim; the
 * concern's default. For a denied concern it is what was missing: `no-claim`; `unmatched-claim` if no value of the concern is
 * that of the claim; `several-claims` if the claim has several elements and the concern takes one value; or `forgotten` if the session that held the host's
 * preferences was lost, or its value is not one of the policy any more.
 */
export type Origin =
  | PreferenceSourceName
  | `${PreferenceSourceName} preset ${string}`
  | 'claim'
  | 'default'
  | 'no-claim'
  | 'unmatched-claim'
  | 'several-claims'
  | 'forgotten';

/** Where the values of a model, or of a person, have the names of the tools that they added. No concern can have this name. */
export const ADDED_TOOLS = '+tools';

/** Where the values of a person have the names of the tools that the person hid. */
export const HIDDEN_TOOLS = '-tools';

/** Whether a source is what a person chose. Only there are the names of tools that were switched one by one. */
export const isChosenByPerson = (from: PreferenceSourceName): boolean =>
  from === 'session' || from === 'principal';

/** The preferences from one source, unchecked. */
export interface PreferenceSource {
  readonly from: PreferenceSourceName;
  readonly concerns: unknown;
  /** Set if the values were accepted earlier. One that is not valid any more, because the policy changed, must not show more. */
  readonly wereAccepted?: boolean;
}

/** An entry that was changed or ignored. */
export interface ConcernWarning {
  readonly code: string;
  readonly message: string;
}

/** A value that was rejected under `invalid: error`: the `data` of the `-32602` error. */
export interface InvalidValue {
  /** Set if not the value is wrong, but the name, or all that was sent in one place. */
  readonly code?: string;
  /** The concern, the name that is not one, or the place of what cannot be read. */
  readonly concern: string;
  readonly value: unknown;
  readonly values: readonly string[] | { readonly min: number; readonly max: number };
  readonly suggestion?: string;
}

/** A number of `Assignment`; a list of them if the concern takes several values. */
export type PreferredValue = number | readonly number[];

/** The most warnings, and the most rejected values, that are kept for one request. */
const MAX_NOTES = 32;

/** The most entries that are read from one source. No policy declares as many concerns. */
const MAX_ENTRIES = 128;

/** Reads the preferences of a host. Lists have one item per concern of the policy. */
export class PreferenceReader {
  /** The accepted values; `null` if the host prefers no value. */
  readonly values: (PreferredValue | null | undefined)[];
  /** Where each value comes from. */
  readonly origins: (Origin | undefined)[];
  readonly warnings: ConcernWarning[] = [];
  readonly invalid: InvalidValue[] = [];
  /** The indexes of concerns that got a value which was not accepted. */
  readonly notAccepted: Set<number> = new Set();
  /** The indexes of concerns whose value was accepted earlier, and is not valid any more. No weaker source decides them. */
  readonly lost: Set<number> = new Set();
  /** Whether a preset was named that the policy does not declare. It could have set any concern. */
  unknownPreset = false;
  private from: PreferenceSourceName = 'session';

  constructor(private readonly policy: Policy) {
    this.values = new Array(policy.concerns.length);
    this.origins = new Array(policy.concerns.length);
  }

  warn(code: string, message: string): undefined {
    if (this.isFull) return;
    const more = { code: 'more-warnings', message: 'More warnings were omitted. Fix these first.' };
    this.warnings.push(this.warnings.length < MAX_NOTES ? { code, message } : more);
  }

  /** Answers and logs must not become much longer than what the host sent. */
  private get isFull(): boolean {
    return this.warnings.length > MAX_NOTES;
  }

  /**
   * Reads the preferences from one source. A concern that already has an accepted value keeps it, so read the strongest
   * source first.
   *
   * @param source the preferences as sent, unchecked
   * @example
   * new PreferenceReader(policy).read({ from: 'request', concerns: { security: 'high' } });
   */
  read({ from, concerns, wereAccepted = false }: PreferenceSource): void {
    const { policy, values, lost } = this;
    this.from = from;
    if (!isObject(concerns)) {
      const message = `concerns (${from}) must be an object of concern names and values. It was ignored.`;
      return this.warn('malformed-concerns', message);
    }
    const names = Object.keys(concerns);
    if (names.length > MAX_ENTRIES) {
      const message = `concerns (${from}) has more than ${MAX_ENTRIES} entries. The rest were ignored.`;
      this.warn('too-many-entries', message);
      names.length = MAX_ENTRIES;
    }

    let preset: unknown;
    for (const name of names) {
      if (name === 'preset') {
        preset = concerns[name];
        continue;
      }
      if ((name === ADDED_TOOLS || name === HIDDEN_TOOLS) && isChosenByPerson(from)) continue;
      const index = policy.indexOf.get(name) ?? -1;
      const concern = policy.concerns[index];
      if (concern === undefined) {
        if (this.isWritten && policy.settings.invalid === 'error') {
          this.rejectName(name, concerns[name]);
          continue;
        }
        const hint = didYouMean(name, policy.indexOf.keys());
        const message = `${quoted(name)} (${from}) is not a concern of this server. It was ignored.${hint}`;
        this.warn('undeclared-concern', message);
        continue;
      }
      this.accept(index, concern, concerns[name], from);
      if (values[index] !== undefined) continue;
      this.notAccepted.add(index);
      if (!wereAccepted || lost.has(index)) continue;
      lost.add(index);
      const message = `The value of ${name} (${from}) is not valid since the policy changed. What has a value for ${name} is hidden until you set it again.`;
      this.warn('lost-value', message);
    }
    if (preset !== undefined) this.readPreset(preset);
  }

  /** A concern keeps the value that it has, and one that lost its value gets no other. */
  private accept(index: number, concern: Concern, value: unknown, origin: Origin): void {
    if (this.values[index] !== undefined || this.lost.has(index)) return;
    this.values[index] = this.readValue(index, concern, value);
    this.origins[index] = origin;
  }

  /** A preset expands to several entries of its source. Explicit entries of the same source are stronger. */
  private readPreset(preset: unknown): void {
    const { presets, indexOf, concerns } = this.policy;
    const entries = typeof preset === 'string' ? presets.get(preset) : undefined;
    if (entries === undefined) {
      const invalid = { concern: 'preset', value: preset, values: [...presets.keys()] };
      this.unknownPreset = true;
      if (typeof preset === 'string') this.outside(invalid);
      else this.malformed(invalid, 'one name');
      return;
    }
    // `preset` is a declared name, so it is safe to repeat it in the origin.
    const origin = `${this.from} preset ${preset}` as const;
    for (const [name, value] of entries) {
      const index = indexOf.get(name) ?? -1;
      const concern = concerns[index];
      if (concern !== undefined) this.accept(index, concern, value, origin);
    }
  }

  /** @returns the accepted value; `null` if the host prefers no value; `undefined` if the entry is ignored */
  private readValue(index: number, concern: Concern, value: unknown): PreferredValue | null | undefined {
    const { from } = this;
    const { name, values } = concern;
    if (concern.setBy === 'operator') {
      const message = `${name} (${from}) is set by the operator, so a host cannot change it. It was ignored.`;
      return this.warn('operator-concern', message);
    }
    if (from === 'model' && (concern.model ?? 'none') === 'none') {
      const message = `${name} (model) is for people to change. The model's value was ignored.`;
      return this.warn('not-for-model', message);
    }
    if (value === null) return null;
    if ('min' in values) return this.readNumber(name, values, value);

    if (concern.multiple && Array.isArray(value)) {
      const found = value.slice(0, MAX_ENTRIES).flatMap((each) => this.readName(index, concern, each) ?? []);
      if (value.length === 0) this.malformed({ concern: name, value, values }, 'a name or a list of names');
      return found.length === 0 ? undefined : [...new Set(found)].sort((a, b) => a - b);
    }
    const ordinal = this.readName(index, concern, value);
    return ordinal === undefined || !concern.multiple ? ordinal : [ordinal];
  }

  private readName(index: number, { name, values, multiple }: Concern, value: unknown): number | undefined {
    const text = typeof numberOf(value) === 'number' && this.isText ? String(value) : value;
    if (typeof text !== 'string') {
      const expected = multiple ? 'a name or a list of names' : 'one name';
      return this.malformed({ concern: name, value, values }, expected);
    }
    const ordinal = this.policy.ordinals[index]?.get(text);
    return ordinal ?? this.outside({ concern: name, value: text, values });
  }

  private readNumber(name: string, range: Range, value: unknown): number | undefined {
    const isNumber = this.isText && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
    const number = isNumber ? Number(value) : numberOf(value);
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      return this.malformed({ concern: name, value, values: range }, 'a number');
    }
    if (number >= range.min && number <= range.max) return number;
    if (this.policy.settings.invalid !== 'clamp') {
      return this.outside({ concern: name, value: number, values: range });
    }
    const clamped = Math.min(Math.max(number, range.min), range.max);
    const message = `${name} (${this.from}) is ${number}, which is out of range. The nearest bound, ${clamped}, was used.`;
    this.warn('clamped-value', message);
    return clamped;
  }

  /** A header or a URL cannot tell 1 from "1", so a number from there may be the name of a value, and a text a number. */
  private get isText(): boolean {
    return this.isWritten;
  }

  /** Whether a person wrote this for this endpoint. Other sources have what a host sends to every server. */
  private get isWritten(): boolean {
    return this.from === 'header' || this.from === 'url';
  }

  private rejectName(concern: string, value: unknown): void {
    if (this.invalid.length >= MAX_NOTES) return;
    const names = [...this.policy.indexOf.keys()];
    const near = nearest(concern, names);
    const suggestion = near === undefined ? {} : { suggestion: near };
    this.reject({ code: 'undeclared-concern', concern, value, values: names, ...suggestion });
  }

  /** Notes a value of the wrong type. Only an update is rejected for it, because its sender can correct it at once. */
  private malformed(invalid: InvalidValue, expected: string): undefined {
    if (this.from === 'update' && this.policy.settings.invalid === 'error') return this.reject(invalid);
    const message = `${invalid.concern} (${this.from}) must be ${expected}. It was ignored.`;
    return this.warn('malformed-value', message);
  }

  private reject(value: InvalidValue): undefined {
    if (this.invalid.length < MAX_NOTES) this.invalid.push(value);
  }

  /** Notes a value outside `values`. A list of names has no nearest bound, so `clamp` ignores the entry like `ignore`. */
  private outside(invalid: InvalidValue): undefined {
    const { concern, value, values } = invalid;
    const names = 'min' in values ? [] : values;
    // If the policy changed since they were accepted, none of these may make every list fail.
    if (this.policy.settings.invalid === 'error' && !KEPT.has(this.from)) {
      // The search for the nearest name costs more than anything else here.
      const near = this.invalid.length < MAX_NOTES ? nearest(String(value), names) : undefined;
      return this.reject({ ...invalid, ...(near === undefined ? {} : { suggestion: near }) });
    }
    if (this.isFull) return;
    const allowed = 'min' in values ? `${values.min} to ${values.max}` : listNames(values);
    const code = concern === 'preset' ? 'unknown-preset' : 'unknown-value';
    const hint = didYouMean(String(value), names);
    const message = `${quoted(value)} (${this.from}) is not a valid value for ${concern} (${allowed}). It was ignored.${hint}`;
    this.warn(code, message);
  }
}

type Range = Exclude<InvalidValue['values'], readonly string[]>;

/** Values that are kept were accepted earlier, and clients send their capabilities with every request. */
const KEPT: ReadonlySet<PreferenceSourceName> = new Set(['session', 'principal', 'model', 'capabilities']);
