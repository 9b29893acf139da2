import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { placeholders } from '../../core/session/dynamodb-expressions.js';
import { fitsRecord, messageOfEnd, type TaskChange } from '../records/record.js';
import { ANSWERED, inputValue, json, number, text } from './item.js';

/**
 * Writes a change of a record as one conditional update.
 *
 * @param change the change
 * @param now the current time in milliseconds
 * @returns the parameters of an UpdateItem
 */
export function updateOf(change: TaskChange, now: number): Omit<UpdateItemCommandInput, 'TableName' | 'Key'> {
  const { name, value, is, parameters } = placeholders();
  const input = (key: string): string => `${name('inputs')}.${name(key)}`;
  const set: string[] = [];
  const add: string[] = [];
  const remove: string[] = [];
  const conditions = [is('status', '=', text('open')), is('expiresAt', '>', number(Math.floor(now / 1000)))];
  if (change.kind !== 'sent') set.push(is('updatedAt', '=', number(now)));
  switch (change.kind) {
    case 'began':
      set.push(is('execution', '=', text(change.execution)));
      break;
    case 'progress':
      set.push(is('message', '=', text(change.message)));
      break;
    case 'asked':
      set.push(`${input(change.key)} = ${value(inputValue(change.input))}`);
      add.push(`${name('waits')} ${value(number(1))}`);
      conditions.push(`attribute_not_exists(${input(change.key)})`);
      break;
    case 'answered': {
      const answered = value(ANSWERED);
      set.push(`${input(change.key)} = ${answered}`);
      add.push(`${name('waits')} ${value(number(-1))}`);
      conditions.push(`attribute_exists(${input(change.key)})`, `${input(change.key)} <> ${answered}`);
      break;
    }
    case 'sent':
      set.push(`${input(change.key)} = ${value(inputValue({ ...change.input, sent: change.sent }))}`);
      // Of two processes that send the same question, one finds it changed.
      conditions.push(`${input(change.key)} = ${value(inputValue(change.input))}`);
      break;
    case 'ended': {
      const message = messageOfEnd(change.end);
      if (message === undefined) remove.push(name('message'));
      else set.push(is('message', '=', text(message)));
      set.push(is('status', '=', text(change.end.status)));
      if (fitsRecord(change.end)) set.push(is('end', '=', json(change.end)));
      break;
    }
  }
  return {
    UpdateExpression: [clause('SET', set), clause('ADD', add), clause('REMOVE', remove)].join(''),
    ConditionExpression: conditions.join(' AND '),
    ...parameters(),
  };
}

const clause = (keyword: string, actions: readonly string[]): string =>
  actions.length === 0 ? '' : `${keyword} ${actions.join(', ')} `;
