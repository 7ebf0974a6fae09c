import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../../contract/problems.ts';
import { TurnAnswer } from '../../../contract/turns.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { answerTurn, findReply, type FoundReply, type TurnsDeps } from '../../features/turns/answer-turn.ts';
import { metaOf } from '../edge/request-meta.ts';
import type { Route } from '../route/route.ts';

/**
 * Receives the later answer of the customer's own code to a turn that the code accepted with 202. The token of the turn
 * is the caller's only right, and it is checked before the body is read.
 */
export const turnAnswerRoute = (deps: TurnsDeps): Route => ({
  method: 'POST',
  path: '/inbound/turns/:turn_id',
  access: { session: (request) => guard(deps, request) },
  operation: { id: 'answerTurn', summary: 'The later answer of your code to a turn', tag: 'Turns', hidden: true },
  body: TurnAnswer,
  responses: { 200: Type.Object({ turn_id: Type.String() }) },
  problems: ['turn_superseded'],
  async handle(request, reply) {
    const claims = request.session as FoundReply;
    const { isReplay } = await answerTurn(deps, claims, request.body as TurnAnswer).catch((error: unknown) => {
      throw lostDatabase('POST', error);
    });
    if (isReplay) reply.header('Idempotent-Replayed', 'true');
    return reply.send({ turn_id: claims.turnId });
  },
});

function guard(deps: TurnsDeps, request: FastifyRequest): FoundReply {
  const meta = metaOf(request.raw)!;
  const sent = meta.authorization;
  const token = sent.length === 1 ? /^bearer +(\S+)$/i.exec(sent[0]!)?.[1] : undefined;
  if (token === undefined) {
    throw new Refusal('authorization_missing', 'Send exactly one header "Authorization: Bearer <reply_token>".', {
      headers: { 'WWW-Authenticate': 'Bearer realm="parley turns"' },
    });
  }
  const { turn_id: turnId } = request.params as { turn_id: string };
  try {
    const claims = findReply(deps, turnId, token);
    meta.orgId = claims.orgId;
    return claims;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, undefined, {
      headers: { 'WWW-Authenticate': 'Bearer realm="parley turns", error="invalid_token"' },
    });
  }
}
