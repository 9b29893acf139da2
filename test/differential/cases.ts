/** What a host writes to a server, and how the server answers. Texts, not values: a number has the text that is compared. */
export interface Case {
  readonly name: string;
  readonly lines: readonly string[];
  /** The text of the result for each method; `$ARGUMENTS` stands for the arguments of the call, as they arrived. */
  readonly answers: Readonly<Record<string, string>>;
  /** The server writes the text of each id: `"1"` in place of 1. */
  readonly textIds?: boolean;
  /** The host closes its output after the last line. */
  readonly endsInput?: boolean;
  /** How long the server takes for each answer. */
  readonly delayMs?: number;
  /** How many bytes of blanks the server puts before the last brace of each answer. */
  readonly padding?: number;
}

const PLAIN =
  '{"name":"a","inputSchema":{"type":"object"}},{"name":"secret_b","inputSchema":{"type":"object"}}';
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}';
const EMPTY = '{"content":[]}';

export const CASES: readonly Case[] = [
  {
    name: 'numbers in a list',
    lines: [LIST],
    answers: {
      'tools/list':
        '{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"number","multipleOf":0.10,"exclusiveMaximum":12345678901234567891}}}},{"name":"secret_b","inputSchema":{"type":"object"}}]}',
    },
  },
  {
    name: 'numbers in a call',
    lines: [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"account":76543210987654321,"price":2.50,"tiny":1E-9,"huge":1e400,"zero":-0}}}',
    ],
    answers: {
      'tools/list': `{"tools":[${PLAIN}]}`,
      'tools/call':
        '{"content":[],"structuredContent":{"given":$ARGUMENTS,"row":36028797018963969,"rate":100.0}}',
    },
  },
  {
    name: 'numbers beside text of any alphabet',
    lines: [CALL],
    answers: {
      'tools/list': `{"tools":[${PLAIN}]}`,
      'tools/call':
        '{"content":[{"type":"text","text":"größe 大きさ 🦊"}],"structuredContent":{"総額":70.0,"id":45035996273704977}}',
    },
  },
  { name: 'ids as text', lines: [LIST], answers: { 'tools/list': `{"tools":[${PLAIN}]}` }, textIds: true },
  {
    name: 'members of the envelope that are null',
    lines: [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":null}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":null}}}',
    ],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}`, 'tools/call': EMPTY },
  },
  {
    name: 'nulls in arguments and results',
    lines: [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"_meta":null,"cursor":null,"filter":null}}}',
    ],
    answers: {
      'tools/list': `{"tools":[${PLAIN}]}`,
      'tools/call': '{"content":[],"structuredContent":{"given":$ARGUMENTS,"params":null}}',
    },
  },
  {
    name: 'an empty cursor at the end',
    lines: [LIST],
    answers: { 'tools/list': `{"tools":[${PLAIN}],"nextCursor":""}` },
  },
  {
    name: 'a cursor that leads back',
    lines: [LIST],
    answers: { 'tools/list': `{"tools":[${PLAIN}],"nextCursor":"again"}` },
  },
  {
    name: 'a call after a cursor that leads back',
    lines: [CALL],
    answers: {
      'tools/list': `{"tools":[${PLAIN}],"nextCursor":"again"}`,
      'tools/call': '{"content":[{"type":"text","text":"ran"}]}',
    },
  },
  {
    name: 'an empty cursor of a host',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}}'],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}` },
  },
  {
    name: 'an answer after the end of the input',
    lines: [CALL],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}`, 'tools/call': EMPTY },
    endsInput: true,
    delayMs: 500,
  },
  {
    name: 'a list that the host asks for before it closes its output',
    lines: [LIST],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}` },
    endsInput: true,
  },
  {
    name: 'blanks around a message',
    lines: ['  \t{ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }  '],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}` },
  },
  {
    name: 'an answer of 12 MB',
    lines: [CALL],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}`, 'tools/call': EMPTY },
    padding: 12_000_000,
  },
  {
    name: 'members of vendors',
    lines: [CALL],
    answers: {
      'tools/list': `{"tools":[${PLAIN}]}`,
      'tools/call': '{"content":[],"_meta":{"x.y/z":[null,{"__proto__":1}]},"x":{"":[]}}',
    },
  },
  {
    name: 'names of two characters and of other alphabets',
    lines: [LIST, '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"日/本","arguments":{}}}'],
    answers: {
      'tools/list': `{"tools":[${PLAIN},{"name":"日/本","inputSchema":{"type":"object"}}]}`,
      'tools/call': EMPTY,
    },
  },
  {
    name: 'a message that is not a request',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}'],
    answers: { 'tools/list': `{"tools":[${PLAIN}]}` },
  },
];
