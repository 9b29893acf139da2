import { z } from 'zod';

/** A PNG of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV header without samples. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } };

const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' };

const resource = (uri: string, mimeType: string, content: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: content },
});

/** Returns a tool result with one text. */
export function text(content: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: content }] };
}

/** Tools with constant results. The suite calls them by name. */
export const CONSTANT_TOOLS: readonly { name: string; description: string; content: Content[] }[] = [
  {
    name: 'test_simple_text',
    description: 'Answers with a text',
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  },
  { name: 'test_image_content', description: 'Answers with an image', content: [image] },
  {
    name: 'test_audio_content',
    description: 'Answers with a sound',
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with an embedded resource',
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with a text, an image and a resource',
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
];

export const CONSTANT_RESOURCES = [
  {
    name: 'static-text',
    uri: 'test://static-text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
    body: { text: 'This is the content of the static text resource.' },
  },
  {
    name: 'static-binary',
    uri: 'test://static-binary',
    description: 'An image that never changes',
    mimeType: 'image/png',
    body: { blob: PNG },
  },
  {
    name: 'watched-resource',
    uri: 'test://watched-resource',
    description: 'A text that one can subscribe to',
    mimeType: 'text/plain',
    body: { text: 'Watched resource content' },
  },
] as const;

export const TEMPLATE = {
  name: 'template',
  uriTemplate: 'test://template/{id}/data',
  config: { description: 'Data by its id', mimeType: 'application/json' },
  read: (uri: URL, id: string) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }),
} as const;

interface FixturePrompt {
  readonly name: string;
  readonly description: string;
  readonly args: readonly string[];
  messages(args: Record<string, string>): { role: 'user'; content: Content }[];
}

const says = (content: string): { role: 'user'; content: Content } => ({
  role: 'user',
  content: { type: 'text', text: content },
});

export const PROMPTS: readonly FixturePrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'A prompt without arguments',
    args: [],
    messages: () => [says('This is a simple prompt for testing.')],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt of two arguments',
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it',
    args: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      {
        role: 'user',
        content: resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      },
      says('Please process the embedded resource above.'),
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt with an image in it',
    args: [],
    messages: () => [{ role: 'user', content: image }, says('Please analyze the image above.')],
  },
];

/** Returns the arguments of a prompt, in the form of both SDKs. */
export function promptArguments(prompt: FixturePrompt): Record<string, z.ZodString> {
  return Object.fromEntries(prompt.args.map((name) => [name, z.string().describe(`The ${name}`)]));
}

/** JSON Schema 2020-12. The suite looks for each of these keywords in the list. */
export const SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Its input schema uses what JSON Schema 2020-12 has',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
} as const;
