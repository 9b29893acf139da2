import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  TASK_ENDS,
  type TaskInputRequest,
  type TaskRecord,
  type TaskStatus,
  type TaskSummary,
} from '../records/record.js';

export type TaskItem = Record<string, AttributeValue>;

/** The value of an answered question in the map `inputs`. It stays, so that a question is never asked again. */
export const ANSWERED: AttributeValue = { S: 'answered' };

/** The index by time of the last update, with what lists show. DynamoDB creates such an index only with its table. */
export const UPDATE_INDEX = 'byUpdate';

/** The attributes that are numbers. */
const NUMBERS = ['waits', 'createdAt', 'updatedAt', 'ttlMs', 'expiresAt'] as const;

/** The attributes that lists read. Results and arguments are not among them. */
export const SUMMARY_ATTRIBUTES: readonly string[] = ['owner', 'id', 'tool', 'status', 'message', ...NUMBERS];

export const text = (S: string): AttributeValue => ({ S });
export const number = (N: number): AttributeValue => ({ N: String(N) });
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) });

/** Writes a new record as an item. */
export function toItem(record: TaskRecord): TaskItem {
  const { owner, id, tool, status, args, answers } = record;
  return {
    owner: text(owner),
    id: text(id),
    tool: text(tool),
    status: text(status),
    ...Object.fromEntries(NUMBERS.map((name) => [name, number(record[name])])),
    args: text(args),
    inputs: { M: {} },
    ...(answers === undefined ? {} : { answers: json(answers) }),
  };
}

/** Writes a question for the map `inputs`. The same question always gives the same text, so that it can be compared. */
export function inputValue({ request, token, askedAt, sent }: TaskInputRequest): AttributeValue {
  return json({ request, token, askedAt, sent });
}

/** Reads an item as a record. */
export function fromItem(item: TaskItem): TaskRecord {
  const { owner, args, answers, execution, end, inputs } = item;
  return {
    ...summaryFromItem(item),
    owner: owner?.S ?? '',
    args: args?.S ?? '{}',
    inputs: Object.fromEntries(
      Object.entries(inputs?.M ?? {}).flatMap(([key, { S = '' }]) =>
        S === ANSWERED.S ? [] : [[key, JSON.parse(S)]],
      ),
    ),
    ...(answers?.S === undefined ? {} : { answers: JSON.parse(answers.S) }),
    ...(execution?.S === undefined ? {} : { execution: execution.S }),
    ...(end?.S === undefined ? {} : { end: JSON.parse(end.S) }),
  };
}

const STATUSES: readonly TaskStatus[] = ['open', ...TASK_ENDS];

/** Reads what lists show from an item or an entry of the index. */
export function summaryFromItem(item: TaskItem): TaskSummary {
  const numberOf = (name: string): number => Number(item[name]?.N ?? 0);
  const { id, tool, status, message } = item;
  return {
    id: id?.S ?? '',
    tool: tool?.S ?? '',
    status: STATUSES.find((each) => each === status?.S) ?? 'failed',
    waits: numberOf('waits'),
    createdAt: numberOf('createdAt'),
    updatedAt: numberOf('updatedAt'),
    ttlMs: numberOf('ttlMs'),
    expiresAt: numberOf('expiresAt'),
    ...(message?.S === undefined ? {} : { message: message.S }),
  };
}
