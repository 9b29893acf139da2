import type { Concern, Policy } from '../../engine/policy.js';
import { CONCERNS_PARAMETER } from '../../wire/messages.js';

/** How a server names itself. */
export interface CardIdentity {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Something that a person chooses before a host connects. */
interface CardInput {
  readonly description: string;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
}

/** One way to connect to the endpoint. */
interface CardRemote {
  readonly type: string;
  readonly url: string;
  readonly headers?: readonly (CardInput & { readonly name: string })[];
  readonly variables?: { readonly concerns: CardInput };
}

/** A Server Card: what a host can know about an endpoint before it connects. It names no tool. */
export interface ServerCard {
  readonly $schema: string;
  /** The host of the URL in reverse order, then what the server calls itself. */
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description: string;
  readonly remotes: readonly CardRemote[];
}

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json';
/** The limits of the schema. */
const LONGEST = { name: 200, version: 255, title: 100, description: 100 } as const;

/**
 * Describes an endpoint for hosts that are not connected yet, in the format of the draft extension Server Card (SEP-2127):
 * where to connect, and which presets and values a person can choose. The first way to connect sets no preferences, or
 * those of a header; the second one puts a preset into the URL.
 *
 * https://github.com/modelcontextprotocol/experimental-ext-server-card
 *
 * @param policy the policy of the endpoint
 * @param identity how the server names itself
 * @param url the public URL of the endpoint
 * @returns the card
 * @example
 * serverCard(policy, { name: 'notes', version: '1.0.0' }, 'https://mcp.example/mcp').name; // 'example.mcp/notes'
 */
export function serverCard(policy: Policy, identity: CardIdentity, url: string): ServerCard {
  const presets = presetChoices(policy);
  const values = valueChoices(policy);
  const { title, description } = identity;
  const described = description || `${title || identity.name}, with lists that a host can choose from`;
  const type = 'streamable-http';
  const headers = values.choices.length === 0 ? {} : { headers: [{ name: 'Mcp-Concerns', ...values }] };
  const template = `${url}?${CONCERNS_PARAMETER}={concerns}`;
  const remotes: CardRemote[] = [
    { type, url, ...headers },
    ...(presets.choices.length === 0 ? [] : [{ type, url: template, variables: { concerns: presets } }]),
  ];
  return {
    $schema: SCHEMA,
    name: `${namespaceOf(url)}/${safeName(identity.name)}`.slice(0, LONGEST.name),
    version: identity.version.slice(0, LONGEST.version) || '0.0.0',
    ...(title === undefined || title === '' ? {} : { title: title.slice(0, LONGEST.title) }),
    description: described.slice(0, LONGEST.description),
    remotes,
  };
}

/** A preset for the URL. An endpoint without presets offers single values instead. */
function presetChoices({ presets, concerns }: Policy): CardInput {
  if (presets.size === 0) {
    const choices = hostValues(concerns).map(({ name, value }) => `${name}:${value}`);
    return { description: 'What the endpoint lists, by one value.', isRequired: true, choices };
  }
  const described = [...presets].map(
    ([name, values]) =>
      `${name}: ${[...values].map(([concern, value]) => `${concern} ${[value].flat().join(' or ')}`).join(', ')}`,
  );
  return {
    description: `What the endpoint lists. ${described.join('; ')}.`,
    isRequired: true,
    choices: [...presets.keys()],
  };
}

/** One value for the header; several are joined with commas. */
function valueChoices({ concerns }: Policy): CardInput {
  const described = concerns.flatMap(({ name, description, setBy }) =>
    setBy === 'host' && description !== undefined ? [`${name}: ${description}`] : [],
  );
  return {
    description: ['What the endpoint lists, by one value.', ...described].join(' '),
    isRequired: false,
    choices: hostValues(concerns).map(({ name, value }) => `${name}=${quoted(value)}`),
  };
}

/** A range of numbers has no choices. What the operator sets, nobody chooses. */
function hostValues(concerns: readonly Concern[]): { name: string; value: string }[] {
  return concerns.flatMap(({ name, values, setBy }) =>
    setBy === 'host' && !('min' in values) ? values.map((value) => ({ name, value })) : [],
  );
}

/** A text that is not a token of RFC 9651 is written as a string. Names of values contain no quotes. */
const quoted = (value: string): string =>
  /^[A-Za-z*][\w!#$%&'*+.^`|~:/-]*$/.test(value) ? value : `"${value}"`;

/** @returns the host of a URL in reverse order; an address without a domain stays as it is */
function namespaceOf(url: string): string {
  const { hostname } = new URL(url);
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return hostname.replace(/[^a-zA-Z0-9.-]/g, '-');
  return hostname.split('.').reverse().join('.');
}

const safeName = (name: string): string => name.replace(/[^a-zA-Z0-9._-]+/g, '-') || 'server';
