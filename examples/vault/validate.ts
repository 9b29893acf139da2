import * as z from 'zod';
import { passesLuhn } from './card.js';

export const FORMATS = ['json', 'base64', 'uuid', 'email', 'url', 'date-time', 'card'] as const;
export type Format = (typeof FORMATS)[number];

const uuid = z.uuid();
const email = z.email().max(254);
const dateTime = z.iso.datetime({ offset: true });

/** Returns one sentence for each problem of the data. */
export function findProblems(data: string, format: Format, requiredFields: readonly string[]): string[] {
  if (format === 'json') return jsonProblems(data, requiredFields);
  if (requiredFields.length > 0) return ['Required fields apply to the format "json" only; leave them out.'];
  return CHECKS[format](data) ? [] : [`The data is not of the format "${format}".`];
}

const CHECKS: Record<Exclude<Format, 'json'>, (data: string) => boolean> = {
  base64: (data) => Buffer.from(data, 'base64').toString('base64') === data,
  uuid: (data) => uuid.safeParse(data).success,
  // Check the length first, so that the pattern never sees a long text.
  email: (data) => data.length <= 254 && email.safeParse(data).success,
  url: (data) => URL.canParse(data),
  'date-time': (data) => data.length <= 64 && dateTime.safeParse(data).success,
  card: (data) => /^\d(?:[ -]?\d){12,18}$/.test(data) && passesLuhn(data.replaceAll(/[ -]/g, '')),
};

function jsonProblems(data: string, requiredFields: readonly string[]): string[] {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return ['The data is not valid JSON.'];
  }
  if (requiredFields.length === 0) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return ['The data is not a JSON object, so it has no fields.'];
  }
  return requiredFields
    .filter((field) => !Object.hasOwn(value, field))
    .map((field) => `The field "${field}" is missing.`);
}
