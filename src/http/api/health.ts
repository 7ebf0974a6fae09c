import { Type } from 'typebox';
import { timestamp } from '../../kernel/clock.ts';
import type { Route } from '../route/route.ts';

/**
 * Reports whether this process is alive. The check uses no database, so a database outage never causes the restart of a
 * healthy process.
 */
export const health = (now: () => number): Route => ({
  method: 'GET',
  path: '/api/health',
  access: 'public',
  operation: {
    id: 'getHealth',
    summary: 'Whether the service is alive',
    description: 'The call needs no key and does not use the database.',
    tag: 'System',
    examples: { 200: { status: 'ok', timestamp: '2026-11-20T20:00:00.000Z' } },
  },
  responses: {
    200: Type.Object(
      { status: Type.Literal('ok'), timestamp: Type.String({ format: 'date-time' }) },
      { title: 'Health' },
    ),
  },
  handle: () => `{"status":"ok","timestamp":"${timestamp(now())}"}`,
});
