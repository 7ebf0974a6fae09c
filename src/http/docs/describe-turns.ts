import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { TURN_ANSWER_EXAMPLE, TURN_EXAMPLE } from '../../../contract/turn-examples.ts';
import { TurnAnswer, TurnRequested } from '../../../contract/turns.ts';
import { wireSchema } from '../../kernel/validation/validate.ts';
import { WEBHOOK_HEADERS } from './webhook-headers.ts';

type Json = Record<string, unknown>;

/** Describes what the own code of a customer receives and returns, as a webhook of OpenAPI 3.1 (docs/your-code.md). */
export const describeTurns = (named: (schema: unknown) => unknown): Json => ({
  'turn.requested': { post: askOperation(named(wireSchema(TurnRequested)), named(wireSchema(TurnAnswer))) },
});

const askOperation = (asked: unknown, answer: unknown): Json => ({
  operationId: 'onTurnRequested',
  summary: 'An agent with the provider `http` asks your code for its next turn.',
  tags: ['Own code'],
  security: [],
  parameters: WEBHOOK_HEADERS,
  requestBody: { required: true, content: { 'application/json': { schema: asked, example: TURN_EXAMPLE } } },
  responses: {
    200: {
      description:
        'The answer. In a stream, each event `delta` is shown while it arrives, and the event `answer` contains the complete answer.',
      content: {
        'application/json': { schema: answer, example: TURN_ANSWER_EXAMPLE },
        'text/event-stream': {
          schema: { type: 'string' },
          example: `event: delta\ndata: {"text":"It ships "}\n\nevent: answer\ndata: ${JSON.stringify(TURN_ANSWER_EXAMPLE)}\n\n`,
        },
      },
    },
    202: { description: 'Your code sends the answer to `turn.reply_url` before `turn.deadline`.' },
    default: { description: 'Parley requests the turn again later, or the fallback answers.' },
  },
  callbacks: { laterAnswer: { '{$request.body#/turn/reply_url}': { post: answerOperation(answer) } } },
});

const answerOperation = (answer: unknown): Json => ({
  operationId: 'answerTurn',
  summary: 'Answer an accepted turn. Send `turn.reply_token` as the bearer token.',
  tags: ['Own code'],
  security: [],
  parameters: [
    {
      name: 'authorization',
      in: 'header',
      required: true,
      description: '`Bearer`, a space and the token.',
      schema: { type: 'string' },
    },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: answer, example: TURN_ANSWER_EXAMPLE } } },
  responses: {
    200: {
      description: 'The answer is stored, or was stored before (`Idempotent-Replayed: true`).',
      content: {
        'application/json': {
          schema: { type: 'object', required: ['turn_id'], properties: { turn_id: { type: 'string' } } },
          example: { turn_id: TURN_EXAMPLE.turn.id },
        },
      },
    },
    401: refused('authorization_missing', 'reply_token_invalid'),
    409: refused('turn_superseded'),
    422: refused('validation_failed'),
  },
});

const refused = (...codes: ProblemCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n\n'),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
