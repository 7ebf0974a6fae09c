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

/** The common members of every error body, for the reference and its tests. Some codes have further members. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Union(Object.keys(PROBLEMS).map((code) => Type.Literal(code))),
    detail: Type.String(),
    request_id: Type.String(),
    errors: Type.Optional(Type.Array(Fault)),
    required_permission: Type.Optional(Type.String()),
    key_permissions: Type.Optional(Type.Array(Type.String())),
    existing_id: Type.Optional(Type.String()),
  },
  { title: 'Problem', description: 'RFC 9457; all errors have this shape.' },
);
