import { zodServer } from '../zod-server.js';
import { bareHandler } from './bare.js';

export const handler = bareHandler(zodServer);
