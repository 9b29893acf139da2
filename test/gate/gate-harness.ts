import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '../../src/core/engine/policy.js';
import type { ConnectionObserver, InitializedConnection } from '../../src/core/gate/edge/concerns-options.js';
import { Connection } from '../../src/core/gate/edge/connection.js';
import type { Sender } from '../../src/core/gate/request/configure.js';
import type {
  PrincipalPreferences,
  SessionPreferences,
} from '../../src/core/gate/request/kept-preferences.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import type { GateReport, ReportContext } from '../../src/core/gate/request/report.js';
import type { Message, RequestId } from '../../src/core/wire/messages.js';
import { policyFromText } from '../policy-text.js';

/** A gate between a client and a server that the test plays. */
export class Harness {
  readonly toServer: Message[] = [];
  readonly toClient: Message[] = [];
  readonly reports: GateReport[] = [];
  /** What the gate knows besides each report. */
  readonly contexts: ReturnType<typeof contextOf>[] = [];
  readonly live: LivePolicy;
  readonly gate: Connection;
  /** Receives each message for the server. By default the server does not answer. */
  onServer: (message: Message) => void = () => undefined;

  constructor(
    policy: Policy,
    preferences: SessionPreferences = { place: 'connection', record: {} },
    principal?: PrincipalPreferences,
    observe?: (initialized: InitializedConnection) => ConnectionObserver,
  ) {
    this.live = new LivePolicy(policy);
    this.gate = new Connection(
      {
        gate: { policy: this.live, principal, observe },
        preferences,
        resumed: preferences.place === 'store',
        report: (report, context) => {
          this.reports.push(report);
          this.contexts.push(contextOf(context));
        },
      },
      {
        toServer: (message) => {
          this.toServer.push(message);
          this.onServer(message);
        },
        toClient: async (message) => void this.toClient.push(message),
      },
    );
  }

  client(message: unknown, sender: Partial<Sender> = {}): void {
    this.gate.fromClient(message as Message, { extra: undefined, ...sender });
  }

  server(message: unknown): Promise<void> {
    return this.gate.fromServer(message as Message, async (sent) => void this.toClient.push(sent));
  }

  /** Answers every list with these primitives, and other requests with an empty result, immediately. */
  serve(lists: Record<string, object[]>): this {
    this.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const items = lists[message.method];
      const result = items === undefined ? {} : { [LIST_KEYS[message.method] ?? '']: items };
      void this.server({ jsonrpc: '2.0', id: message.id, result });
    };
    return this;
  }

  request(id: RequestId, method: string, params: object = {}): void {
    this.client({ jsonrpc: '2.0', id, method, params });
  }

  answers(id: RequestId): Message[] {
    return this.toClient.filter(
      (message) =>
        typeof message === 'object' &&
        message !== null &&
        'id' in message &&
        message.id === id &&
        !('method' in message),
    );
  }
}

export const LIST_KEYS: Record<string, string> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'tasks/list': 'tasks',
};

/** Writes a policy to a temporary folder, and returns its path. */
export function policyFile(yaml: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gate-')), 'policy.yaml');
  writeFileSync(file, `version: 1\n${yaml}`);
  return file;
}

/** Loads a policy from its text, without the line of its version. */
export const policyOf = (yaml: string): Policy => policyFromText(`version: 1\n${yaml}`);

export const SECURITY = `
concerns:
  security: { values: [low, medium, high] }
primitives:
  tools: { a: { security: low }, b: { security: high }, c: {} }
`;

/** Returns what a report belongs to, with the digest of its policy, and without what it waited for. */
export function contextOf(context: ReportContext | undefined) {
  if (context === undefined) return undefined;
  const { policy, waits: _waits, storeFailures: _failures, ...others } = context;
  return { ...others, ...(policy === undefined ? {} : { policy: policy.digest }) };
}
