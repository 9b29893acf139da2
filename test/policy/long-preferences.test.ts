import { expect, it } from 'vitest';
import { offeredRecord } from '../../src/core/gate/concerns/initialize.js';
import { newSessionId } from '../../src/core/gate/request/session-id.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { policyFromText } from '../policy-text.js';
import { findingsOf } from './author.js';

/** A policy whose longest preferences have so many characters as JSON, and these preferences. */
function ofLength(length: number) {
  const value = (at: number, letters: number) => `${at}`.padEnd(letters, 'x');
  const fixed = JSON.stringify({ topic: [], level: 'high' }).length;
  // Nine values with their quotes and commas, and a last one that fills the rest.
  const topic = Array.from({ length: 9 }, (_, at) => value(at, 59));
  topic.push(value(9, length - fixed - 9 * 62 - 2));
  const concerns = { topic, level: 'high' };
  expect(JSON.stringify(concerns)).toHaveLength(length);
  const yaml = `version: 1\nconcerns:\n  topic: { values: [${topic}], multiple: true }\n  level: { values: [low, high] }\nsettings: { panel: on }\n`;
  return { yaml, concerns };
}

it.each([
  [637, [], true],
  [638, ['3:3 long-preferences'], false],
])(
  'Preferences of %s characters are reported exactly if no session id has room for them',
  (length, findings, fits) => {
    const { yaml, concerns } = ofLength(length);
    expect(findingsOf(yaml)).toEqual(findings);
    const policy = policyFromText(yaml);
    const capabilities = { extensions: { [EXTENSION_ID]: { concerns } } };
    const id = newSessionId({ policy }, offeredRecord(policy, { capabilities }));
    expect(id.includes('.')).toBe(fits);
  },
);
