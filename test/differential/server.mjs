// Answers as a case says, over stdio, or over HTTP with --http. It writes texts, so that each number has the text of the case.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const { answers, textIds, delayMs = 0, padding = 0 } = JSON.parse(process.argv[2]);
const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';

/** The text of the answer to a text; `undefined` for a notification. */
async function answerTo(line) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return undefined;
  const own = { initialize: INITIALIZED, ping: '{}' }[method];
  if (own === undefined) await sleep(delayMs);
  const given = /"arguments":(\{[^}]*\})/.exec(line)?.[1] ?? '{}';
  const result = own ?? answers[method]?.replace('$ARGUMENTS', () => given);
  const idText = JSON.stringify(textIds === true ? String(id) : id);
  const end =
    result === undefined ? '"error":{"code":-32601,"message":"Method not found"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${idText},${end}${own === undefined ? ' '.repeat(padding) : ''}}`;
}

if (process.argv[3] === '--http') {
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const parts = [];
    for await (const part of request) parts.push(part);
    const line = Buffer.concat(parts).toString();
    const isModern = request.headers['mcp-protocol-version'] === '2026-07-28';
    const text = isModern ? undefined : await answerTo(line);
    if (text === undefined) return response.writeHead(isModern ? 400 : 202).end();
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' }).end(text);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
} else {
  let pending = 0;
  let isOver = false;
  const leave = () => isOver && pending === 0 && process.exit(0);
  createInterface({ input: process.stdin })
    .on('line', async (line) => {
      pending++;
      const text = await answerTo(line);
      pending--;
      if (text === undefined) return leave();
      process.stdout.write(`${text}\n`, leave);
    })
    .on('close', () => {
      isOver = true;
      leave();
    });
}
