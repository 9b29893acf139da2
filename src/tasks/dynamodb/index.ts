export { TaskStoreError } from '../records/record.js';
export { createDynamoRecords, type DynamoRecordsOptions } from './records.js';
