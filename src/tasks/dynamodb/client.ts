import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

// The client that sessions use has the limits that tasks need, too. This module is imported by the first call, because the
// AWS client is many times as large as the rest of the code.
export { createClient } from '../../core/session/dynamodb-client.js';
export { BatchGetItemCommand, GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand };
