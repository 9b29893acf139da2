import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MAIN, startCopy } from './run.js';

export interface Position {
  readonly line: number;
  readonly character: number;
}
export interface Edit {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly newText: string;
}
export interface Diagnostic {
  readonly range: Edit['range'];
  readonly severity: number;
  readonly code: string;
  readonly codeDescription?: { readonly href: string };
  readonly message: string;
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri: string; readonly diagnostics: Diagnostic[] };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** An editor with one open file: it speaks the Language Server Protocol over stdio, as editors do. */
export class Editor {
  private readonly running;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly published: Message[] = [];
  private wake = (): void => {};
  private received = Buffer.alloc(0);
  private next = 0;
  private version = 1;
  readonly uri: string;

  constructor(folder: string, file: string, main: string = MAIN) {
    this.uri = pathToFileURL(resolve(folder, file)).href;
    this.running = startCopy(main, folder, 'lsp', '--stdio');
    this.running.child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      this.received = Buffer.concat([this.received, Buffer.from(chunk, 'latin1')]);
      this.readMessages();
    });
  }

  private readMessages(): void {
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      const [, length] = /Content-Length: (\d+)/.exec(this.received.subarray(0, end).toString()) ?? [];
      if (end === -1 || length === undefined || this.received.length < end + 4 + Number(length)) return;
      const body = this.received.subarray(end + 4, end + 4 + Number(length)).toString('utf8');
      this.received = this.received.subarray(end + 4 + Number(length));
      const message = JSON.parse(body) as Message;
      if (message.method === 'textDocument/publishDiagnostics') this.published.push(message);
      this.waiting.get(message.id ?? -1)?.(message);
      this.wake();
    }
  }

  private send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.running.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  notify(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  async request<T>(method: string, params: object | null): Promise<T> {
    const id = ++this.next;
    const answer = new Promise<Message>((done) => {
      this.waiting.set(id, done);
    });
    this.send({ id, method, params });
    const ended = this.running.ended.then(({ stderr }) => ({ error: stderr, result: undefined }));
    const { result, error } = await Promise.race([answer, ended]);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as T;
  }

  /** Starts the session and opens the file. */
  async open(): Promise<Record<string, unknown>> {
    const { capabilities } = await this.request<{ capabilities: Record<string, unknown> }>('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
    });
    this.notify('initialized');
    const text = readFileSync(new URL(this.uri), 'utf8');
    const textDocument = { uri: this.uri, languageId: 'yaml', version: 1, text };
    this.notify('textDocument/didOpen', { textDocument });
    return capabilities;
  }

  change(text: string): void {
    const textDocument = { uri: this.uri, version: ++this.version };
    this.notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
  }

  /** Resolves with the next diagnostics of a file. */
  async diagnostics(uri = this.uri): Promise<Diagnostic[]> {
    for (;;) {
      const index = this.published.findIndex(({ params }) => params?.uri === uri);
      if (index !== -1) return this.published.splice(index, 1)[0]?.params?.diagnostics ?? [];
      const woken = new Promise<void>((done) => {
        this.wake = done;
      });
      const ended = this.running.ended.then(({ stderr }) => {
        throw new Error(stderr);
      });
      await Promise.race([woken, ended]);
    }
  }

  async at<T>(method: string, line: number, character: number): Promise<T> {
    return this.request<T>(`textDocument/${method}`, {
      textDocument: { uri: this.uri },
      position: { line, character },
    });
  }

  /** Ends the session as the protocol says, and resolves with the exit code. */
  async close(): Promise<number | null> {
    await this.request('shutdown', null);
    this.notify('exit');
    return (await this.running.ended).code;
  }
}
