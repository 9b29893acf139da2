import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createHandler } from '../../src/core/http/index.js';
import { ownerOf } from '../../src/core/session/task-owner.js';
import { createMemoryStore } from '../../src/index.js';
import { toItem } from '../../src/tasks/dynamodb/item.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import {
  createTasks,
  defineTask,
  type TaskRecord,
  type TaskStatus,
  withTasks,
} from '../../src/tasks/index.js';
import { newTaskId } from '../../src/tasks/records/owner.js';
import { policyOf } from '../policy/author.js';
import type { LocalDynamo } from '../session/dynamo.js';
import { newRecord } from './records-suite.js';
import { createTaskTable } from './table.js';

/** Tasks of one caller behind a gate, whose reads are counted. */
export interface ManyTasks {
  readonly ids: readonly string[];
  /** When the first task was created; each later one 5 ms after the one before. */
  readonly from: number;
  /** Lists one page. */
  list(params: object, subject?: string): Promise<Listed>;
  /** Lists all pages. Calls `between` after each. */
  walk(params: object, between?: () => Promise<unknown>): Promise<Walked>;
  /** Creates one more task. */
  create(): Promise<void>;
}

/** A page, and what it cost. */
export interface Listed {
  readonly tasks: readonly { readonly taskId: string; readonly status: string }[];
  readonly nextCursor?: string;
  readonly error?: { readonly code: number; readonly message: string };
  readonly units: number;
  readonly reads: number;
}

/** All pages of a list, and what the most expensive of them cost. */
export interface Walked {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly mostUnits: number;
  readonly units: number;
}

const ENDS: readonly TaskStatus[] = ['completed', 'tool_error', 'failed', 'cancelled'];
const TOOLS = ['report', 'quick', 'ask'] as const;
const CALLER = { issuer: 'https://login.example', subject: 'sub ann' };

/** Writes tasks into a table: 1 % open, half of these waiting for an answer; three tools; four ends. */
export async function openManyTasks(
  dynamo: LocalDynamo,
  count: number,
  { hidden = [], pageSize = 50 }: { hidden?: readonly string[]; pageSize?: number } = {},
): Promise<ManyTasks> {
  const table = await createTaskTable(dynamo);
  const owner = ownerOf(CALLER, '');
  const from = Date.now() - count * 5 - 60_000;
  const ttlMs = 86_400_000;
  const expiresAt = Math.floor((from + ttlMs) / 1000);
  const records = Array.from({ length: count }, (_, each): TaskRecord => {
    const createdAt = from + each * 5;
    const status = each % 100 === 7 ? 'open' : (ENDS[each % 4] ?? 'failed');
    const waits = each % 200 === 7 ? 1 : 0;
    const tool = TOOLS[each % 3] ?? 'report';
    return newRecord({
      owner,
      id: newTaskId(createdAt),
      createdAt,
      updatedAt: createdAt + (each % 3),
      status,
      waits,
      tool,
      ttlMs,
      expiresAt,
    });
  });
  const client = dynamo.client();
  for (let first = 0; first < count; first += 25) {
    const puts = records.slice(first, first + 25).map((record) => ({ PutRequest: { Item: toItem(record) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
  const spent = countReads(client);
  const stored = createDynamoRecords({ table, client, timeoutMs: 20_000 });
  const tasks = createTasks({
    definitions: TOOLS.map((name) =>
      defineTask({ name, inputSchema: { type: 'object' }, run: async () => '' }),
    ),
    records: stored,
  });
  const hide = ['none', ...hidden].map((tool) => `${tool}: { audience: staff }`).join(', ');
  const handle = createHandler({
    server: () => withTasks(new McpServer({ name: 'v1', version: '1.0.0' }), tasks),
    policy: policyOf(`version: 1
concerns: { audience: { values: [staff, public], set-by: operator, claim: audience, default: public } }
settings: { enforcement: enforce, unmapped: show, page-size: ${pageSize} }
primitives: { tools: { ${hide} } }
`),
    store: createMemoryStore(),
  });

  const list = async (params: object, subject = 'ann'): Promise<Listed> => {
    Object.assign(spent, { units: 0, reads: 0 });
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params }),
    });
    const extra = { iss: CALLER.issuer, sub: subject };
    const response = await handle(request, { authInfo: { token: 't', clientId: 'c', scopes: [], extra } });
    const answer: ReturnType<typeof JSON.parse> = JSON.parse(
      /\{.*\}/.exec(await response.text())?.[0] ?? '{}',
    );
    return { tasks: [], ...answer.result, ...('error' in answer ? { error: answer.error } : {}), ...spent };
  };

  return {
    ids: records.map(({ id }) => id),
    from,
    list,
    async walk(params, between) {
      const ids: string[] = [];
      let walked = { pages: 0, mostUnits: 0, units: 0 };
      let cursor: string | undefined;
      do {
        const page = await list(cursor === undefined ? params : { ...params, cursor });
        if (page.error !== undefined) throw new Error(page.error.message);
        ids.push(...page.tasks.map(({ taskId }) => taskId));
        walked = {
          pages: walked.pages + 1,
          mostUnits: Math.max(walked.mostUnits, page.units),
          units: walked.units + page.units,
        };
        cursor = page.nextCursor;
        await between?.();
      } while (cursor !== undefined && walked.pages < 1000);
      return { ids, ...walked };
    },
    async create() {
      const createdAt = Date.now();
      await stored.create(
        newRecord({ owner, id: newTaskId(createdAt), createdAt, updatedAt: createdAt, tool: 'quick' }),
      );
    },
  };
}

/** Counts the reads of a client, and the read units that they take. */
function countReads(client: DynamoDBClient): { units: number; reads: number } {
  const spent = { units: 0, reads: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { output } = result as { output: { ConsumedCapacity?: Consumed | Consumed[] } };
      for (const { CapacityUnits = 0 } of [output.ConsumedCapacity ?? []].flat())
        spent.units += CapacityUnits;
      spent.reads += 1;
      return result;
    },
    { step: 'initialize' },
  );
  return spent;
}

interface Consumed {
  readonly CapacityUnits?: number;
}
