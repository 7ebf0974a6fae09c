import { Type } from 'typebox';
import { PROBLEMS } from '../../../contract/problems.ts';

const Fault = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer to the value.' }),
    code: Type.String(),
    detail: Type.String(),
  },
  { title: 'Fault' },
);

const code = Type.Union(Object.keys(PROBLEMS).map((each) => Type.Literal(each)));

/** The common members of every error body, for the reference and its tests. Some codes have additional members. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    code,
    detail: Type.String(),
    request_id: Type.String(),
    errors: Type.Optional(Type.Array(Fault)),
    required_permission: Type.Optional(Type.String()),
    key_permissions: Type.Optional(Type.Array(Type.String())),
    existing_id: Type.Optional(Type.String()),
  },
  { title: 'Problem', description: 'RFC 9457; all errors have this shape.' },
);

/** The same error in the shape of OpenAI's API. */
export const OpenAIErrorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.Enum([
        'authentication_error',
        'invalid_request_error',
        'permission_error',
        'rate_limit_error',
        'server_error',
      ]),
      param: Type.Union([Type.String(), Type.Null()], { description: 'The first wrong value of the body.' }),
      code,
      doc_url: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
      request_id: Type.String(),
      errors: Type.Optional(Type.Array(Fault)),
    }),
  },
  { title: 'OpenAIError', description: 'All errors below /api/openai/ have this shape.' },
);
