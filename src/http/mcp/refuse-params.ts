import { Type, type TSchema } from 'typebox';
import { Refusal } from '../../../contract/problems.ts';
import { type Check, compileBody } from '../../kernel/validation/validate.ts';
import { problemBody } from '../edge/problems.ts';
import { faultsOf } from './tools.ts';

type Message = { readonly [name: string]: unknown };

const open = { additionalProperties: true };
const checkOf = (params: Record<string, TSchema>): Check =>
  compileBody(Type.Object({ params: Type.Object(params, open) }, open));

/** The methods with parameters that the protocol's library would describe in the terms of its own validator. */
const CHECKS = new Map<unknown, Check>([
  ['tools/call', checkOf({ name: Type.String(), arguments: Type.Optional(Type.Object({}, open)) })],
  [
    'initialize',
    checkOf({
      protocolVersion: Type.String(),
      capabilities: Type.Object({}, open),
      clientInfo: Type.Object({ name: Type.String(), version: Type.String() }, open),
    }),
  ],
]);

/** The code of JSON-RPC for parameters that violate the schema. */
const INVALID_PARAMS = -32_602;

/** The answer to a request with invalid parameters. The `data` of the error is the problem document of the API. */
export function refuseParams(message: Message, requestId: string, baseUrl: string): object | null {
  const { id, method } = message;
  const check = CHECKS.get(method);
  if (!check || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const errors = faultsOf({ check }, message);
  if (errors.length === 0) return null;
  const data = problemBody(new Refusal('validation_failed', undefined, { errors }), requestId, baseUrl);
  const text = errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: text, data } };
}
