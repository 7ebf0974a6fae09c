import { EVENT_EXAMPLES } from '../../../contract/event-examples.ts';
import { EVENT_MEANINGS, EVENT_TYPES, type EventType } from '../../../contract/event-types.ts';
import { EVENT_DATA } from '../../../contract/events.ts';
import { Type } from 'typebox';
import { wireSchema } from '../../kernel/validation/validate.ts';
import { WEBHOOK_HEADERS } from './webhook-headers.ts';

type Json = Record<string, unknown>;

/**
 * The `webhooks` of OpenAPI 3.1 describe what endpoints of customers receive. Each type of event has a component, for
 * example `RunCompletedEvent`. `named` moves a schema with a title into the components.
 */
export const describeEvents = (named: (schema: unknown) => unknown): Json =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: operationOf(type, named) }]));

const nameOf = (type: EventType): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

const operationOf = (type: EventType, named: (schema: unknown) => unknown): Json => ({
  operationId: `on${nameOf(type)}`,
  summary: EVENT_MEANINGS[type],
  tags: ['Events'],
  security: [],
  parameters: WEBHOOK_HEADERS,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: named(wireSchema(envelopeOf(type))),
        example: { id: EXAMPLE_ID, type, timestamp: '2026-11-21T06:20:00.000Z', data: EVENT_EXAMPLES[type] },
      },
    },
  },
  responses: {
    '2XX': { description: 'If your endpoint returns a 2xx within 15 seconds, the event is delivered.' },
    410: { description: 'Disables the endpoint.' },
    default: { description: 'Parley sends the event again later.' },
  },
});

const envelopeOf = (type: EventType) =>
  Type.Object(
    {
      id: Type.String(),
      type: Type.Literal(type),
      timestamp: Type.String({ format: 'date-time' }),
      data: EVENT_DATA[type],
    },
    { title: `${nameOf(type)}Event` },
  );

const EXAMPLE_ID = 'evt_01kapj8w4hf1t3v5x7z9c2e4g6';
