import { expect, it } from 'vitest';
import { sample } from '../../sample.js';
import { compareWithOracle } from './compare.js';

const NONE = { rules: false, obtainable: false, model: false, bind: false };
const ALL = { rules: true, obtainable: true, model: true, bind: true };

/** Every policy is tried with five callers, and each of them with hundreds of calls. */
const ALL_POLICIES = 240;
const POLICIES = sample(ALL_POLICIES) === ALL_POLICIES ? ALL_POLICIES : 12;
const TIMEOUT_MS = 900_000;

/** Most schemas say exactly what passes. How many is not raised by machinery, but it must not fall. */
const LEAST_EXACT = 0.85;

it.each([
  ['names of uses', NONE, 1],
  ['scopes that callers can get', { ...NONE, obtainable: true }, 1],
  ['values of a model', { ...NONE, model: true }, 1],
  ['rules', { ...NONE, rules: true }, 1],
  ['bound arguments', { ...NONE, rules: true, bind: true }, 1],
  ['everything', ALL, 1],
  ['two servers', { ...NONE, rules: true, bind: true }, 2],
] as const)(
  'lists and calls agree with trying each call: %s',
  (_what, parts, servers) => {
    const found = compareWithOracle(POLICIES, 7, parts, servers);
    expect(found.differences).toEqual([]);
    expect(found.narrowed).toBeGreaterThan(0);
    expect(found.exact / (found.exact + found.inexact)).toBeGreaterThan(LEAST_EXACT);
  },
  TIMEOUT_MS,
);
