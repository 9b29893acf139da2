export { TaskStoreError } from '../records/store-error.js';
export { createDynamoRecords, type DynamoRecordsOptions } from './records.js';
